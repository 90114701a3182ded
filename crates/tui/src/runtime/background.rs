//! What is done beside the loop: questions and workspaces, each on a thread, also where the system gives none at the moment.

use std::sync::Arc;

use widetui_app::msg::{Msg, SavedWorkspace};
use widetui_app::workspacefiles::Keeper;
use widetui_core::thread;
use widetui_session::jobs::Question;
use widetui_store::Snapshot;

use super::{Arrival, Runtime};

impl Runtime {
    /// Begins with what was asked since the last frame.
    pub(super) fn begin_asked(&mut self) {
        for (snapshot, question, generation) in std::mem::take(&mut self.questions) {
            self.ask(snapshot, question, generation);
        }
        for (view, wish) in std::mem::take(&mut self.tables) {
            let send = self.send.clone();
            rayon::spawn(move || {
                let _ = send.send(Arrival::Inner(Msg::Arranged(view, wish.find())));
            });
        }
    }

    /// Asks on a thread; that there is none is told, and the question waits for one.
    fn ask(&mut self, snapshot: Arc<Snapshot>, question: Question, generation: u64) {
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
            let told = Msg::NoThread(error.to_string());
            let _ = self.send.send(Arrival::Inner(told));
        }
    }

    /// Does something with workspaces on a thread; here where there is none: what the user keeps is worth the wait.
    pub(super) fn keep(
        &self,
        work: impl Fn(&Keeper) -> Option<SavedWorkspace> + Send + Sync + 'static,
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
