
export JOBNAME=parsl.htex_old.block-0.1795227376.0485942
process_worker_pool.py --debug --max_workers_per_node=2 -a 127.0.0.1 -p 0 -c 0.5 -m None --poll 150 --task_port=54168 --result_port=54825 --cert_dir None --logdir=/home/hpcuser/proj/old/runinfo/000/htex_old --block_id=0 --hb_period=3  --hb_threshold=12 --drain_period=None --cpu-affinity none  --mpi-launcher=mpiexec --available-accelerators 