import java.util.Random;
import java.util.concurrent.*;
import org.apache.logging.log4j.*;

public class Pay {
    static final BlockingQueue<String> pool = new ArrayBlockingQueue<>(8);

    interface Work { boolean done(String connection) throws Exception; }

    static void handle(String handler, int request, Work work) {
        Logger log = LogManager.getLogger(handler);
        try {
            log.debug("request {} in", request);
            String connection = pool.take();
            log.debug("request {} got connection {}", request, connection);
            if (!work.done(connection)) {
                log.info("request {} answered 200, nothing to refund", request);
                return;
            }
            pool.put(connection);
            log.debug("request {} gave back {}", request, connection);
            log.info("request {} answered 200", request);
        } catch (Exception e) {
            log.error("request {} failed", request, e);
        }
    }

    public static void main(String[] args) throws Exception {
        Logger log = LogManager.getLogger("PoolMonitor");
        for (int n = 1; n <= 8; n++) pool.add("db-" + n);
        log.info("pool open, 8 connections to ledger");
        ScheduledExecutorService clock = Executors.newScheduledThreadPool(1, r -> new Thread(r, "monitor"));
        clock.scheduleAtFixedRate(() -> log.info("in use {} of 8", 8 - pool.size()), 2, 2, TimeUnit.SECONDS);
        ExecutorService http = Executors.newFixedThreadPool(12);
        Random chance = new Random(21);
        for (int n = 1; n <= 140; n++) {
            final int request = 5000 + n, kind = chance.nextInt(10), wait = 50 + chance.nextInt(120);
            final boolean any = chance.nextInt(2) > 0;
            http.submit(() -> {
                if (kind < 6) handle("ChargeHandler", request, c -> { Thread.sleep(wait); return true; });
                else if (kind < 8) handle("ReportHandler", request, c -> { Thread.sleep(2 * wait); return true; });
                else handle("RefundHandler", request, c -> { Thread.sleep(wait); return any; });
            });
            Thread.sleep(75);
        }
        http.shutdown();
        http.awaitTermination(1, TimeUnit.HOURS);
        log.info("closed");
        clock.shutdown();
    }
}
