// Prints what texture instructions return, as bits: family, number of the fetch,
// channels. tests/golden/emu/textures.txt has what an H200 printed. tests/e2e/test_emu.py

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>
struct Q {
    float x, y, z, w, a, b;
};
enum {
    T1,
    T2,
    T3,
    TL1,
    TL2,
    TC,
    TCL,
    TLOD1,
    TLOD2,
    TLOD3,
    TG0,
    TG1,
    TG2,
    TG3,
    F1,
    U2,
    I2,
    U1,
    GRAD2,
    S1,
    S2,
    S3,
    SL2,
    I2S,
    TLODC,
    GRAD1,
    GRAD3
};
__global__ void
fetch(int kind, unsigned long long t, const Q *q, uint4 *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    Q c = q[i];
    float4 f = make_float4(0, 0, 0, 0);
    uint4 u = make_uint4(0, 0, 0, 0);
    bool isu = false;
    switch (kind) {
    case T1:
        f = tex1D<float4>(t, c.x);
        break;
    case T2:
        f = tex2D<float4>(t, c.x, c.y);
        break;
    case T3:
        f = tex3D<float4>(t, c.x, c.y, c.z);
        break;
    case TL1:
        f = tex1DLayered<float4>(t, c.x, (int)c.w);
        break;
    case TL2:
        f = tex2DLayered<float4>(t, c.x, c.y, (int)c.w);
        break;
    case TC:
        f = texCubemap<float4>(t, c.x, c.y, c.z);
        break;
    case TCL:
        f = texCubemapLayered<float4>(t, c.x, c.y, c.z, (int)c.w);
        break;
    case TLOD1:
        f = tex1DLod<float4>(t, c.x, c.a);
        break;
    case TLOD2:
        f = tex2DLod<float4>(t, c.x, c.y, c.a);
        break;
    case TLOD3:
        f = tex3DLod<float4>(t, c.x, c.y, c.z, c.a);
        break;
    case TLODC:
        f = texCubemapLod<float4>(t, c.x, c.y, c.z, c.a);
        break;
    case TG0:
        f = tex2Dgather<float4>(t, c.x, c.y, 0);
        break;
    case TG1:
        f = tex2Dgather<float4>(t, c.x, c.y, 1);
        break;
    case TG2:
        f = tex2Dgather<float4>(t, c.x, c.y, 2);
        break;
    case TG3:
        f = tex2Dgather<float4>(t, c.x, c.y, 3);
        break;
    case F1:
        f = tex1Dfetch<float4>(t, (int)c.x);
        break;
    case GRAD1:
        f = tex1DGrad<float4>(t, c.x, c.a, c.b);
        break;
    case GRAD2:
        f = tex2DGrad<float4>(t, c.x, c.y, make_float2(c.a, 0), make_float2(0, c.b));
        break;
    case GRAD3:
        f = tex3DGrad<float4>(t, c.x, c.y, c.z, make_float4(c.a, 0, 0, 0),
                              make_float4(0, c.b, 0, 0));
        break;
    case U2:
        u = tex2D<uint4>(t, c.x, c.y);
        isu = true;
        break;
    case U1:
        u = tex1Dfetch<uint4>(t, (int)c.x);
        isu = true;
        break;
    case I2: {
        int4 v = tex2D<int4>(t, c.x, c.y);
        u = make_uint4(v.x, v.y, v.z, v.w);
        isu = true;
        break;
    }
    }
    if (!isu)
        u = make_uint4(__float_as_uint(f.x), __float_as_uint(f.y), __float_as_uint(f.z),
                       __float_as_uint(f.w));
    out[i] = u;
}
static std::vector<Q> qs;
static void
run(const char *name, int kind, unsigned long long t, int ch)
{
    Q *d;
    uint4 *o;
    int n = (int)qs.size();
    std::vector<uint4> h(n);
    cudaMalloc(&d, n * sizeof(Q));
    cudaMalloc(&o, n * 16);
    cudaMemcpy(d, qs.data(), n * sizeof(Q), cudaMemcpyHostToDevice);
    fetch<<<(n + 127) / 128, 128>>>(kind, t, d, o, n);
    cudaError_t e = cudaDeviceSynchronize();
    if (e)
        printf("%s error %d\n", name, e);
    cudaMemcpy(h.data(), o, n * 16, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) {
        printf("%s %d:", name, i);
        unsigned v[4] = {h[i].x, h[i].y, h[i].z, h[i].w};
        for (int k = 0; k < ch; k++)
            printf(" %08x", v[k]);
        printf("\n");
    }
    cudaFree(d);
    cudaFree(o);
}
static unsigned rng = 12345;
static unsigned
rnd()
{
    rng = rng * 1664525u + 1013904223u;
    return rng >> 8;
}
static float
rf()
{
    return (float)(rnd() & 0xffff) / 65536.0f * 10 - 5;
}
static cudaTextureDesc
td(int mode, int filter, int norm, int read)
{
    cudaTextureDesc d;
    memset(&d, 0, sizeof d);
    d.addressMode[0] = d.addressMode[1] = d.addressMode[2] = (cudaTextureAddressMode)mode;
    d.filterMode = (cudaTextureFilterMode)filter;
    d.normalizedCoords = norm;
    d.readMode = (cudaTextureReadMode)read;
    return d;
}
static unsigned long long
tex(cudaArray_t a, cudaTextureDesc d, const char *what = "")
{
    cudaResourceDesc r;
    memset(&r, 0, sizeof r);
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    cudaTextureObject_t t = 0;
    cudaError_t e = cudaCreateTextureObject(&t, &r, &d, NULL);
    if (e) {
        printf("create %s: %d\n", what, e);
        cudaGetLastError();
    }
    return t;
}
static cudaArray_t
arr(cudaChannelFormatDesc c, int w, int h, int dd, unsigned flags, const void *data,
    int rowbytes, int rows, int slices)
{
    cudaArray_t a;
    cudaError_t e = cudaMalloc3DArray(&a, &c, make_cudaExtent(w, h, dd), flags);
    if (e) {
        printf("malloc3darray %d %d %d %u: %d\n", w, h, dd, flags, e);
        cudaGetLastError();
        return 0;
    }
    cudaMemcpy3DParms p;
    memset(&p, 0, sizeof p);
    p.srcPtr = make_cudaPitchedPtr((void *)data, rowbytes, w, rows);
    p.dstArray = a;
    p.extent = make_cudaExtent(w, rows, slices);
    p.kind = cudaMemcpyHostToDevice;
    e = cudaMemcpy3D(&p);
    if (e) {
        printf("memcpy3d: %d\n", e);
        cudaGetLastError();
    }
    return a;
}
int
main()
{
    float line[8] = {0, 1, 0, 3, -2, 5, 100, 7};
    cudaChannelFormatDesc f1 = cudaCreateChannelDesc<float>();
    cudaArray_t a1 = arr(f1, 8, 0, 0, 0, line, 32, 1, 1);
    // 1: weights
    qs.clear();
    for (int i = -1100; i < 9300; i += 7)
        qs.push_back({i / 1024.0f, 0, 0, 0, 0, 0});
    run("w1d", T1, tex(a1, td(cudaAddressModeClamp, 1, 0, 0)), 4);
    for (int m = 0; m < 4; m++)
        for (int f = 0; f < 2; f++)
            for (int n = 0; n < 2; n++) {
                qs.clear();
                for (int i = -70; i < 105; i++)
                    qs.push_back({n ? i / 32.0f : i / 3.0f, 0, 0, 0, 0, 0});
                char b[64];
                sprintf(b, "mode%d-%d-%d", m, f, n);
                run(b, T1, tex(a1, td(m, f, n, 0), b), 1);
            }
    // random floats 1d 2d 3d linear
    float big[4 * 5 * 6 * 4];
    for (auto &v : big)
        v = rf();
    cudaArray_t a2 = arr(f1, 6, 5, 0, 0, big, 24, 5, 1),
                a3 = arr(f1, 6, 5, 4, 0, big, 24, 5, 4);
    cudaChannelFormatDesc f4 = cudaCreateChannelDesc<float4>(),
                          f2 = cudaCreateChannelDesc<float2>();
    cudaArray_t a24 = arr(f4, 6, 5, 0, 0, big, 96, 5, 1),
                a22 = arr(f2, 6, 5, 0, 0, big, 48, 5, 1);
    qs.clear();
    for (int i = 0; i < 200; i++)
        qs.push_back({rf() + 3, rf() + 2, rf() + 2, 0, 0, 0});
    run("lin1", T1, tex(arr(f1, 64, 0, 0, 0, big, 256, 1, 1), td(1, 1, 0, 0)), 1);
    run("lin2", T2, tex(a2, td(1, 1, 0, 0)), 1);
    run("lin3", T3, tex(a3, td(1, 1, 0, 0)), 1);
    run("lin24", T2, tex(a24, td(1, 1, 0, 0)), 4);
    run("lin22", T2, tex(a22, td(1, 1, 0, 0)), 4);
    run("pt1", T2, tex(a2, td(1, 0, 0, 0)), 4);
    qs.clear();
    for (int i = 0; i < 200; i++)
        qs.push_back({rf() / 3, rf() / 3, rf() / 3, 0, 0, 0});
    for (int m = 0; m < 4; m++) {
        char b[64];
        sprintf(b, "n2-%d", m);
        run(b, T2, tex(a2, td(m, 1, 1, 0)), 1);
        sprintf(b, "n3-%d", m);
        run(b, T3, tex(a3, td(m, 1, 1, 0)), 1);
        sprintf(b, "p2-%d", m);
        run(b, T2, tex(a2, td(m, 0, 1, 0)), 1);
    }
    {
        cudaTextureDesc d = td(3, 1, 1, 0);
        d.borderColor[0] = 2;
        d.borderColor[1] = 3;
        d.borderColor[2] = 4;
        d.borderColor[3] = 5;
        run("border", T2, tex(a2, d), 4);
        run("border22", T2, tex(a22, d), 4);
        d.filterMode = cudaFilterModePoint;
        run("borderp", T2, tex(a24, d), 4);
    }
    qs.clear();
    for (int i = 0; i < 120; i++)
        qs.push_back({rf() + 3, rf() + 2, 0, 0, 0, 0});
    for (int k = 0; k < 4; k++) {
        char b[64];
        sprintf(b, "gather%d", k);
        run(b, TG0 + k, tex(a24, td(1, 0, 0, 0)), 4);
    }
    {
        cudaArray_t ag = arr(f4, 6, 5, 0, cudaArrayTextureGather, big, 96, 5, 1);
        run("gatherflag", TG1, tex(ag, td(3, 1, 0, 0)), 4);
    }
    // small ints
    unsigned char by[1024];
    for (int i = 0; i < 1024; i++)
        by[i] = i < 256 ? i : rnd();
    unsigned short sh[1024];
    for (int i = 0; i < 1024; i++)
        sh[i] = i < 8 ? (i < 4 ? i : 65535 - i) : rnd();
    cudaArray_t u8 = arr(cudaCreateChannelDesc<unsigned char>(), 256, 1, 0, 0, by, 256, 1,
                         1),
                s8 = arr(cudaCreateChannelDesc<signed char>(), 256, 1, 0, 0, by, 256, 1,
                         1);
    cudaArray_t u16 = arr(cudaCreateChannelDesc<unsigned short>(), 256, 1, 0, 0, sh, 512,
                          1, 1),
                s16 = arr(cudaCreateChannelDesc<short>(), 256, 1, 0, 0, sh, 512, 1, 1);
    cudaArray_t u84 = arr(cudaCreateChannelDesc<uchar4>(), 256, 1, 0, 0, by, 1024, 1, 1);
    qs.clear();
    for (int i = 0; i < 256; i++)
        qs.push_back({i + 0.5f, 0.5f, 0, 0, 0, 0});
    run("u8n", T2, tex(u8, td(1, 0, 0, 1)), 4);
    run("s8n", T2, tex(s8, td(1, 0, 0, 1)), 4);
    run("u16n", T2, tex(u16, td(1, 0, 0, 1)), 4);
    run("s16n", T2, tex(s16, td(1, 0, 0, 1)), 4);
    {
        cudaTextureDesc d = td(1, 0, 0, 1);
        d.sRGB = 1;
        run("srgb", T2, tex(u84, d, "srgb"), 4);
        run("srgb1", T2, tex(u8, d, "srgb"), 4);
    }
    qs.clear();
    for (int i = 0; i < 100; i++)
        qs.push_back({rf() * 25 + 128, 0.5f, 0, 0, 0, 0});
    run("u8lin", T2, tex(u8, td(1, 1, 0, 1)), 1);
    run("s8lin", T2, tex(s8, td(1, 1, 0, 1)), 1);
    run("u16lin", T2, tex(u16, td(1, 1, 0, 1)), 1);
    run("s16lin", T2, tex(s16, td(1, 1, 0, 1)), 1);
    run("u84lin", T2, tex(u84, td(1, 1, 0, 1)), 4);
    {
        cudaTextureDesc d = td(1, 1, 0, 1);
        d.sRGB = 1;
        run("srgblin", T2, tex(u84, d, "srgb"), 4);
    }
    run("u8raw", U2, tex(u8, td(1, 0, 0, 0)), 4);
    run("s8raw", I2, tex(s8, td(1, 0, 0, 0)), 4);
    run("u84raw", U2, tex(u84, td(1, 0, 0, 0)), 4);
    run("s16raw", I2, tex(s16, td(1, 0, 0, 0)), 4);
    qs.clear();
    for (int i = -3; i < 3; i++)
        qs.push_back({i + 0.5f, 0.5f, 0, 0, 0, 0});
    {
        cudaTextureDesc d = td(3, 0, 0, 0);
        d.borderColor[0] = 2;
        run("u8border", U2, tex(u8, d), 4);
        run("u8borderI", I2, tex(s8, d), 4);
        d.readMode = cudaReadModeNormalizedFloat;
        d.borderColor[0] = 0.3f;
        run("u8nborder", T2, tex(u8, d), 4);
    }
    unsigned short hf[64];
    for (auto &v : hf)
        v = rnd();
    cudaArray_t h1 = arr(cudaCreateChannelDescHalf(), 32, 1, 0, 0, hf, 64, 1, 1);
    qs.clear();
    for (int i = 0; i < 32; i++)
        qs.push_back({i + 0.5f, 0.5f, 0, 0, 0, 0});
    run("half", T2, tex(h1, td(1, 0, 0, 0)), 4);
    for (auto &q : qs)
        q.x += 0.3f;
    run("halflin", T2, tex(h1, td(1, 1, 0, 0)), 1);
    // layered, cube
    cudaArray_t l1 = arr(f1, 6, 0, 5, cudaArrayLayered, big, 24, 1, 5),
                l2 = arr(f1, 6, 5, 4, cudaArrayLayered, big, 24, 5, 4);
    cudaArray_t cu = arr(f1, 4, 4, 6, cudaArrayCubemap, big, 16, 4, 6),
                cul =
                    arr(f1, 2, 2, 12, cudaArrayCubemap | cudaArrayLayered, big, 8, 2, 12);
    qs.clear();
    for (int i = 0; i < 120; i++)
        qs.push_back({rf() + 3, rf() + 2, 0, (float)(i % 8 - 2), 0, 0});
    run("l1", TL1, tex(l1, td(1, 1, 0, 0)), 1);
    run("l2", TL2, tex(l2, td(1, 1, 0, 0)), 1);
    run("l2p", TL2, tex(l2, td(1, 0, 0, 0)), 1);
    qs.clear();
    for (int i = 0; i < 300; i++)
        qs.push_back({rf(), rf(), rf(), (float)(i % 5 - 1), 0, 0});
    qs.push_back({1, 1, 1, 0, 0, 0});
    qs.push_back({-1, 1, 1, 0, 0, 0});
    qs.push_back({1, -1, -1, 0, 0, 0});
    qs.push_back({0, 1, 1, 0, 0, 0});
    qs.push_back({0, 1, -1, 0, 0, 0});
    qs.push_back({1, 0, -1, 0, 0, 0});
    qs.push_back({0, 0, 0, 0, 0, 0});
    qs.push_back({-1, -1, -1, 0, 0, 0});
    run("cubep", TC, tex(cu, td(1, 0, 1, 0)), 1);
    run("cubel", TC, tex(cu, td(1, 1, 1, 0)), 1);
    run("cubew", TC, tex(cu, td(0, 1, 1, 0)), 1);
    run("acube", TCL, tex(cul, td(1, 0, 1, 0)), 1);
    {
        cudaTextureDesc d = td(1, 1, 1, 0);
        d.seamlessCubemap = 1;
        run("cubes", TC, tex(cu, d), 1);
    }
    // linear memory
    float *lin;
    cudaMalloc(&lin, 1024);
    cudaMemcpy(lin, big, 400, cudaMemcpyHostToDevice);
    {
        cudaResourceDesc r;
        memset(&r, 0, sizeof r);
        r.resType = cudaResourceTypeLinear;
        r.res.linear.devPtr = lin;
        r.res.linear.desc = f1;
        r.res.linear.sizeInBytes = 40;
        cudaTextureDesc d = td(1, 0, 0, 0);
        cudaTextureObject_t t = 0;
        printf("lin create %d\n", cudaCreateTextureObject(&t, &r, &d, NULL));
        qs.clear();
        for (int i = -3; i < 14; i++)
            qs.push_back({(float)i, 0, 0, 0, 0, 0});
        run("fetch1", F1, t, 4);
        run("fetch1u", U1, t, 4);
        run("tex1dOnLinear", T1, t, 1);
        d.borderColor[0] = 7;
        d.addressMode[0] = cudaAddressModeBorder;
        d.filterMode = cudaFilterModeLinear;
        t = 0;
        printf("lin create linear %d\n", cudaCreateTextureObject(&t, &r, &d, NULL));
        if (t)
            run("fetch1b", F1, t, 1);
        r.res.linear.devPtr = lin + 1;
        t = 0;
        printf("lin misaligned %d\n", cudaCreateTextureObject(&t, &r, &d, NULL));
        cudaGetLastError();
    }
    {
        cudaResourceDesc r;
        memset(&r, 0, sizeof r);
        r.resType = cudaResourceTypePitch2D;
        r.res.pitch2D.devPtr = lin;
        r.res.pitch2D.desc = f1;
        r.res.pitch2D.width = 6;
        r.res.pitch2D.height = 5;
        r.res.pitch2D.pitchInBytes = 32;
        cudaTextureDesc d = td(1, 1, 0, 0);
        cudaTextureObject_t t = 0;
        printf("pitch create %d\n", cudaCreateTextureObject(&t, &r, &d, NULL));
        qs.clear();
        for (int i = 0; i < 60; i++)
            qs.push_back({rf() + 3, rf() + 2, 0, 0, 0, 0});
        run("pitch", T2, t, 1);
        r.res.pitch2D.pitchInBytes = 28;
        printf("pitch 28: %d\n", cudaCreateTextureObject(&t, &r, &d, NULL));
        cudaGetLastError();
    }
    // mipmaps
    cudaMipmappedArray_t mm;
    cudaError_t e = cudaMallocMipmappedArray(&mm, &f1, make_cudaExtent(8, 8, 0), 4);
    printf("mip %d\n", e);
    for (int l = 0; l < 4; l++) {
        cudaArray_t la;
        cudaGetMipmappedArrayLevel(&la, mm, l);
        float v[64];
        int w = 8 >> l;
        for (int i = 0; i < w * w; i++)
            v[i] = (l + 1) * 100 + i;
        cudaMemcpy2DToArray(la, 0, 0, v, w * 4, w * 4, w, cudaMemcpyHostToDevice);
    }
    for (int mf = 0; mf < 2; mf++)
        for (int f = 0; f < 2; f++)
            for (int nrm = 0; nrm < 2; nrm++) {
                cudaResourceDesc r;
                memset(&r, 0, sizeof r);
                r.resType = cudaResourceTypeMipmappedArray;
                r.res.mipmap.mipmap = mm;
                cudaTextureDesc d = td(1, f, nrm, 0);
                d.mipmapFilterMode = (cudaTextureFilterMode)mf;
                d.minMipmapLevelClamp = 0;
                d.maxMipmapLevelClamp = 3;
                cudaTextureObject_t t = 0;
                printf("mip tex %d %d %d: %d\n", mf, f, nrm,
                       cudaCreateTextureObject(&t, &r, &d, NULL));
                cudaGetLastError();
                if (!t)
                    continue;
                char b[64];
                qs.clear();
                for (int i = -8; i < 72; i++)
                    qs.push_back({0.4f, 0.3f, 0, 0, i / 16.0f, 0});
                qs.push_back({0.4f, 0.3f, 0, 0, 0.502f, 0});
                qs.push_back({0.4f, 0.3f, 0, 0, 0.498f, 0});
                qs.push_back({0.4f, 0.3f, 0, 0, 1.501f, 0});
                sprintf(b, "mlod%d%d%d", mf, f, nrm);
                run(b, TLOD2, t, 1);
                qs.clear();
                for (int i = 0; i < 40; i++)
                    qs.push_back({0.4f, 0.3f, 0, 0, i / 20.0f * (nrm ? 1 : 8),
                                  i % 3 / 4.0f * (nrm ? 1 : 8)});
                sprintf(b, "mgrad%d%d%d", mf, f, nrm);
                run(b, GRAD2, t, 1);
                qs.clear();
                qs.push_back({0.4f, 0.3f, 0, 0, 0, 0});
                sprintf(b, "mtex%d%d%d", mf, f, nrm);
                run(b, T2, t, 1);
                d.mipmapLevelBias = 0.75f;
                d.minMipmapLevelClamp = 0.5f;
                d.maxMipmapLevelClamp = 2.25f;
                t = 0;
                cudaCreateTextureObject(&t, &r, &d, NULL);
                qs.clear();
                for (int i = -8; i < 72; i += 3)
                    qs.push_back({0.4f, 0.3f, 0, 0, i / 16.0f, 0});
                sprintf(b, "mbias%d%d%d", mf, f, nrm);
                run(b, TLOD2, t, 1);
            }
    return 0;
}
