#!/bin/csh -f
#SBATCH --time=2-00:00:00
 setenv compiler gcc
