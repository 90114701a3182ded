import java.util.*;
import java.util.concurrent.*;
import org.slf4j.*;

public class Broker {
    static final Logger log = LoggerFactory.getLogger(Broker.class);
    static final Map<String, BlockingQueue<Integer>> queues = new ConcurrentSkipListMap<>();

    static BlockingQueue<Integer> queue(String name) {
        return queues.computeIfAbsent(name, n -> {
            log.info("queue {} declared, durable", n);
            return new LinkedBlockingQueue<>();
        });
    }

    static void listen(String listener, String name, int millis, String reply) {
        Thread thread = new Thread(() -> {
            Logger own = LoggerFactory.getLogger(listener);
            BlockingQueue<Integer> in = queue(name);
            own.info("consuming from {}, prefetch 1", name);
            try {
                while (true) {
                    int order = in.take();
                    Thread.sleep(millis);
                    own.info("order {} acknowledged", order);
                    if (reply != null) queue(reply).put(order);
                }
            } catch (InterruptedException e) {
                own.info("closed");
            }
        }, listener.toLowerCase());
        thread.setDaemon(true);
        thread.start();
    }

    public static void main(String[] args) throws Exception {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> log.info("shutdown requested, closing {} queues", queues.size()), "shutdown"));
        listen("Invoicing", "orders.invoice", 90, null);
        listen("Warehouse", "orders.fulfilment", 120, "orders.shipped");
        listen("Mailer", "orders.confirm", 60, null);
        listen("Tracker", "orders.shipped", 30, null);
        Thread.sleep(400);
        Random chance = new Random(3);
        for (int order = 88001; order <= 88030; order++) {
            Thread.sleep(100 + chance.nextInt(150));
            log.info("publish order {} to 3 queues", order);
            for (String name : List.of("orders.invoice", "orders.confirm", "orders.fulfillment")) queue(name).put(order);
            if (order % 10 == 0) queues.forEach((name, q) -> log.info("stats {} depth={}", name, q.size()));
        }
        log.info("all orders of the batch published, waiting until they are shipped");
        while (true) {
            Thread.sleep(2500);
            queues.forEach((name, q) -> log.info("stats {} depth={}", name, q.size()));
        }
    }
}
