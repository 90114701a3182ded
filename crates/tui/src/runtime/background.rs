//! Background work of the event loop: queries and workspace files, each on a thread, with a
//! fallback if none can be started.

use std::sync::Arc;

use widetui_app::msg::{Msg, SavedWorkspace};
use widetui_app::workspace_files::WorkspaceKeeper;
use widetui_core::thread;
use widetui_session::jobs::Question;
use widetui_store::Snapshot;

use super::{Arrival, Runtime};

impl Runtime {
    /// Starts the queries requested since the last frame.
    pub(super) fn start_queries(&mut self) {
        for (snapshot, question, generation) in std::mem::take(&mut self.questions) {
            self.start_query(snapshot, question, generation);
        }
        for (view, wish) in std::mem::take(&mut self.tables) {
            let send = self.send.clone();
            rayon::spawn(move || {
                let _ = send.send(Arrival::Inner(Msg::Arranged(view, wish.arrange())));
            });
        }
    }

    /// Runs a query on a thread. If no thread can be started, reports it and queues the query.
    fn start_query(&mut self, snapshot: Arc<Snapshot>, question: Question, generation: u64) {
        let about = snapshot.clone();
        let begun = self.jobs.ask(
            snapshot,
            question,
            generation,
            self.send.clone(),
            move |slot, generation, answer| {
                Arrival::Inner(Msg::answered(&about, slot, generation, answer))
            },
        );
        if let Err(error) = begun {
            let alert = Msg::Alert(error.to_string());
            let _ = self.send.send(Arrival::Inner(alert));
        }
    }

    /// Runs a workspace operation on a thread, or on the current thread if none can be started:
    /// user data is worth the delay.
    pub(super) fn run_workspace_job(
        &self,
        work: impl Fn(&WorkspaceKeeper) -> Option<SavedWorkspace> + Send + Sync + 'static,
    ) {
        let (keeper, send) = (self.keeper.clone(), self.send.clone());
        let work = Arc::new(move || {
            if let Some(found) = work(&keeper) {
                let _ = send.send(Arrival::Inner(Msg::Workspace(found)));
            }
        });
        let there = work.clone();
        if thread::start("keeper", move || there()).is_err() {
            work();
        }
    }
}
