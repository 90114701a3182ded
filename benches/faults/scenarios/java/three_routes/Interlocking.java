import java.util.*;
import java.util.concurrent.locks.*;
import java.util.logging.*;

public class Interlocking {
    static final Logger log = Logger.getLogger("interlocking");
    static final Map<String, ReentrantLock> blocks = new TreeMap<>();
    static volatile int finished;

    static class Train extends Thread {
        final String[] route;
        final int dwell, start;

        Train(String name, int start, int dwell, String... route) {
            super(name);
            this.route = route;
            this.dwell = dwell;
            this.start = start;
        }

        public void run() {
            try {
                Thread.sleep(start);
                String behind = null;
                for (String block : route) {
                    log.info("train " + getName() + " requests " + block);
                    blocks.get(block).lock();
                    log.info("train " + getName() + " in " + block);
                    Thread.sleep(behind == null ? dwell : dwell / 2);
                    if (behind != null) {
                        blocks.get(behind).unlock();
                        log.fine("train " + getName() + " left " + behind);
                    }
                    Thread.sleep(dwell);
                    behind = block;
                }
                blocks.get(behind).unlock();
                log.info("train " + getName() + " arrived");
            } catch (InterruptedException e) {
                log.warning(e.toString());
            }
            finished++;
        }
    }

    public static void main(String[] args) throws Exception {
        System.setProperty("java.util.logging.SimpleFormatter.format", "%1$tF %1$tT.%1$tL %4$-6s %3$s: %5$s%n");
        log.setUseParentHandlers(false);
        log.setLevel(Level.FINE);
        FileHandler file = new FileHandler("interlocking.%g.log");
        file.setFormatter(new SimpleFormatter());
        log.addHandler(file);
        for (String name : "A1 A2 A3 A4 A5 B1 B2 B3 B4 C1 C2 C3 K1 K2 K3 D1 D2 D3".split(" ")) blocks.put(name, new ReentrantLock(true));
        List<Train> trains = List.of(
            new Train("S21", 0, 180, "A1", "A2", "A3", "A4", "A5"),
            new Train("IC601", 200, 150, "B1", "B2", "K1", "K2", "C1"),
            new Train("S23", 400, 200, "A1", "A2", "A3", "A4", "A5"),
            new Train("IC612", 3000, 400, "B1", "K1", "K2", "C2"),
            new Train("RE7", 3050, 410, "C1", "K2", "K3", "D2"),
            new Train("G3108", 3100, 420, "D1", "K3", "K1", "B3"),
            new Train("S25", 5500, 250, "A1", "A2", "K2", "C3"),
            new Train("S27", 4200, 220, "A3", "A4", "A5"));
        log.config("18 blocks, " + trains.size() + " trains today");
        trains.forEach(Thread::start);
        for (int n = 1; finished < trains.size(); n++) {
            Thread.sleep(2000);
            long taken = blocks.values().stream().filter(ReentrantLock::isLocked).count();
            log.info("timetable: " + finished + " of " + trains.size() + " trains arrived, " + taken + " blocks taken");
        }
        log.info("end of traffic");
    }
}
