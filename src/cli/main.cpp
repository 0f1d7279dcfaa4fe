// alacarte: see commands.cpp.
#include "command.hpp"

int main(int argc, char** argv) { return alacarte::cli::run_main("alacarte", alacarte::cli::program, argc, argv); }
