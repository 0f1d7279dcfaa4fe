# shellcheck shell=bash
# A Slurm cluster of one node in a temporary folder, for tests: start_cluster FOLDER, stop_cluster. To be sourced.
# Needs munge and slurm-wlm of Debian, and root: slurmd starts jobs as others.

# cluster_lacks: prints the missing requirements of a cluster; nothing if all are there.
cluster_lacks() {
  local program
  for program in munged slurmctld slurmd sbatch srun scontrol; do
    command -v $program >/dev/null || { echo "$program is not installed (slurm-wlm, munge)"; return; }
  done
  [ "$(id -u)" -eq 0 ] || echo "slurmd needs root"
}

# start_cluster FOLDER: returns when the node is idle; fails with the logs after 30 s.
start_cluster() {
  local folder=$1 host cpus
  host=$(hostname -s) cpus=$(nproc)
  cluster_processes=()
  mkdir -p "$folder"/{state,spool,munge}
  chmod 755 "$folder" "$folder"/{state,spool} && chmod 711 "$folder/munge"
  head -c 128 /dev/urandom >"$folder/munge/key" && chmod 400 "$folder/munge/key"
  munged --foreground --force --socket="$folder/munge/socket" --key-file="$folder/munge/key" \
    --pid-file="$folder/munge/pid" --log-file="$folder/munge/log" --seed-file="$folder/munge/seed" >/dev/null 2>&1 &
  cluster_processes+=($!)
  cat >"$folder/slurm.conf" <<END
ClusterName=alacarte
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$((20000 + $$ % 20000))
SlurmdPort=$((20001 + $$ % 20000))
AuthInfo=socket=$folder/munge/socket,cred_expire=5
AuthType=auth/munge
CryptoType=crypto/munge
SlurmUser=root
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
KillWait=5
SchedulerParameters=sched_interval=2,batch_sched_delay=0
NodeName=$host NodeAddr=127.0.0.1 CPUs=$cpus State=UNKNOWN
PartitionName=test Nodes=$host Default=YES MaxTime=INFINITE OverSubscribe=FORCE:4 State=UP
END
  export SLURM_CONF=$folder/slurm.conf
  for _ in $(seq 50); do [ ! -S "$folder/munge/socket" ] || break; sleep 0.1; done
  slurmctld -D >"$folder/slurmctld.out" 2>&1 &
  cluster_processes+=($!)
  slurmd -D >"$folder/slurmd.out" 2>&1 &
  cluster_processes+=($!)
  for _ in $(seq 60); do
    [ "$(sinfo -h -o %T 2>/dev/null)" != idle ] || return 0
    sleep 0.5
  done
  tail -n 5 "$folder"/slurm*.log "$folder"/*.out "$folder/munge/log" >&2
  return 1
}

# Stops only the processes that start_cluster began, by number.
stop_cluster() {
  local process
  scancel --user="$(id -un)" 2>/dev/null
  for process in "${cluster_processes[@]}"; do kill "$process" 2>/dev/null; done
  for process in "${cluster_processes[@]}"; do wait "$process" 2>/dev/null; done
  cluster_processes=()
}
