//! Answers that the program prints about real runs.

mod any_log;
mod batch_and_stores;
mod comparison;
mod containers;
mod dag;
mod diagnosis;
mod evidence;
mod first_findings;
mod foreign_logs;
mod groups;
mod hostile_input;
mod injected_faults;
mod names_elsewhere;
mod queues;
mod restarts;
mod small_formats;
mod tables;
mod undefined_formats;
