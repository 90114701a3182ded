import java.time.LocalDate;
import java.time.format.DateTimeParseException;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.*;

public class Feeds {
    static final Logger log = LoggerFactory.getLogger("feeds.Reader");
    static final AtomicInteger kept = new AtomicInteger();

    static void item(String feed, int n) throws InterruptedException {
        Thread.sleep(60 + n % 5 * 20);
        String date = n == 13 && !feed.equals("zoo") ? "13th of May" : String.format("2024-05-%02d", n);
        try {
            LocalDate day = LocalDate.parse(date);
            log.debug("{} item {} of {} kept", feed, n, day);
            kept.incrementAndGet();
        } catch (DateTimeParseException e) {
            log.warn("{} item {} left out (on.bad.item=skip)", feed, n, e);
        }
    }

    public static void main(String[] args) throws Exception {
        LoggerFactory.getLogger("feeds.Options").warn("option 'feeds.threads' is deprecated, use 'feeds.workers'");
        LoggerFactory.getLogger("feeds.Cache").warn("cache folder not found, starting with an empty cache (0 errors expected)");
        ExecutorService pool = Executors.newFixedThreadPool(3);
        List<Future<?>> all = new ArrayList<>();
        for (String feed : List.of("city", "harbour", "theatre", "zoo")) {
            all.add(pool.submit(() -> {
                log.info("{}: reading 15 items", feed);
                for (int n = 1; n <= 15; n++) item(feed, n);
                log.info("{}: done", feed);
                return null;
            }));
        }
        for (Future<?> one : all) one.get();
        pool.shutdown();
        log.info("finished, {} items, 3 left out, 0 feeds failed", kept.get());
    }
}
