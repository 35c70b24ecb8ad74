// expect: solve is not a function but a variable of type int
int solve;
