import java.util.Random;
import java.util.concurrent.*;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

public class Shop {
    static final Logger orders = LoggerFactory.getLogger("org.example.shop.Orders");
    static final Logger stock = LoggerFactory.getLogger("org.example.shop.Stock");
    static final AtomicInteger threads = new AtomicInteger();
    static final ThreadPoolExecutor pool = (ThreadPoolExecutor) Executors.newFixedThreadPool(4, r -> new Thread(r, "exec-" + threads.incrementAndGet()));

    static int check(int order) throws Exception {
        Thread.sleep(60 + order % 7 * 15);
        stock.debug("Order {}: {} articles reserved", order, order % 5 + 1);
        return order % 5 + 1;
    }

    static Void take(int order) throws Exception {
        orders.info("Order {}: received, {} EUR", order, 15 + order % 83);
        Thread.sleep(40);
        Future<Integer> reserved = pool.submit(() -> check(order));
        orders.debug("Order {}: stock check submitted", order);
        orders.info("Order {}: confirmed with {} articles", order, reserved.get());
        return null;
    }

    public static void main(String[] args) throws Exception {
        Logger log = LoggerFactory.getLogger("org.example.shop.Shop");
        ScheduledExecutorService clock = Executors.newScheduledThreadPool(1, r -> new Thread(r, "metrics"));
        clock.scheduleAtFixedRate(() -> log.info("pool exec: active={} queued={} completed={}", pool.getActiveCount(), pool.getQueue().size(), pool.getCompletedTaskCount()), 1, 1, TimeUnit.SECONDS);
        log.info("Shop 2.8 started");
        Random chance = new Random(4);
        for (int order = 10400; order < 10440; order++) {
            final int number = order;
            if (order < 10422 || order > 10424) Thread.sleep(210 + chance.nextInt(200));
            pool.submit(() -> take(number));
        }
        pool.shutdown();
        pool.awaitTermination(1, TimeUnit.HOURS);
    }
}
