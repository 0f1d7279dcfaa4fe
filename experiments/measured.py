"""A command's seconds, peak memory and output: what the scripts of several experiments report."""
import os
import subprocess
import sys
import time


def measured(command):
    """Runs it; seconds of the wall clock, peak memory in bytes and what it printed. Ends the script where it fails."""
    began = time.time()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    out = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit("failed: " + " ".join(command))
    return time.time() - began, usage.ru_maxrss * 1024, out
