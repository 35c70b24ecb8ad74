// expect: solve is a type
struct solve {};
