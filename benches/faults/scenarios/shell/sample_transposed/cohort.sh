#!/bin/bash
# Calls variants of all reads, then of the cohort.
stamp() { date '+[%Y-%m-%dT%H:%M:%S%z]'; }

call() {
    sample=$(basename "$1" _R1.fastq)
    echo "$(stamp) $sample align start" >> calls.log
    sleep 0.$((RANDOM % 6 + 2))
    echo "$(stamp) $sample align done, $(($(wc -l < "$1") / 4 * 1000 + RANDOM)) reads mapped" >> calls.log
    for chromosome in 1 2 3 X; do
        sleep 0.2
        echo "$(stamp) $sample chr$chromosome called, $((RANDOM % 4000 + 300)) sites" >> calls.log
    done
    touch "../gvcf/$sample.g.vcf"
    echo "$(stamp) $sample wrote gvcf/$sample.g.vcf" >> calls.log
}

joint() {
    mapfile -t cohort < ../cohort.txt
    echo "$(stamp) joint: ${#cohort[@]} samples in the cohort" >> joint.log
    for sample in "${cohort[@]}"; do
        while [ ! -e "../gvcf/$sample.g.vcf" ]; do
            echo "$(stamp) joint: gvcf/$sample.g.vcf not there yet" >> joint.log
            sleep 1.5
        done
        echo "$(stamp) joint: gvcf/$sample.g.vcf added" >> joint.log
    done
    echo "$(stamp) joint: genotyping" >> joint.log
}

joint &
for reads in ../reads/*_R1.fastq; do
    while [ "$(jobs -rp | wc -l)" -gt 3 ]; do sleep 0.1; done
    call "$reads" &
done
wait
echo "$(stamp) cohort done" >> joint.log
