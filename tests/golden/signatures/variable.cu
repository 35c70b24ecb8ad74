// expect: solve is a variable; it must be a function
int solve;
