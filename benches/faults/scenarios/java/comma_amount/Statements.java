import java.nio.file.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.logging.*;

public class Statements {
    static final Logger log = Logger.getLogger(Statements.class.getName());

    record Row(String day, String kind, double amount) {
        static Row parse(String line) {
            String[] parts = line.split(";");
            return new Row(parts[0], parts[1], Double.parseDouble(parts[2]));
        }
    }

    static double read(Path path) throws Exception {
        log.log(Level.INFO, "reading {0}", path.getFileName());
        double sum = 0;
        int count = 0;
        for (String line : Files.readAllLines(path)) {
            sum += Row.parse(line).amount();
            if (++count % 10 == 0) log.log(Level.FINE, "{0}: {1} rows", new Object[] {path.getFileName(), count});
            Thread.sleep(60);
        }
        log.log(Level.INFO, "{0}: balance {1}", new Object[] {path.getFileName(), String.format("%.2f", sum)});
        return sum;
    }

    public static void main(String[] args) throws Exception {
        FileHandler file = new FileHandler("import.log");
        file.setFormatter(new SimpleFormatter());
        log.setUseParentHandlers(false);
        log.setLevel(Level.FINE);
        log.addHandler(file);
        ExecutorService pool = Executors.newFixedThreadPool(2);
        Map<Path, Future<Double>> sums = new TreeMap<>();
        try (DirectoryStream<Path> paths = Files.newDirectoryStream(Path.of("../statements"))) {
            for (Path path : paths) sums.put(path, pool.submit(() -> read(path)));
        }
        pool.shutdown();
        double total = 0;
        try {
            for (Future<Double> sum : sums.values()) total += sum.get();
        } catch (ExecutionException e) {
            log.log(Level.SEVERE, "import of May aborted", e);
            System.exit(1);
        }
        log.info("import of May complete, " + String.format("%.2f", total));
    }
}
