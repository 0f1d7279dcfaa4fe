"""A command's seconds, peak memory and output: what the scripts of several experiments report."""
import collections
import os
import subprocess
import sys
import time

# Seconds of the wall clock and of the processor (all threads), peak memory, and what the command printed.
Measured = collections.namedtuple("Measured", "seconds processor_seconds peak_bytes out")


def measured(command):
    """Runs it. Ends the script where it fails."""
    began = time.time()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    out = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit("failed: " + " ".join(command))
    return Measured(time.time() - began, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, out)
