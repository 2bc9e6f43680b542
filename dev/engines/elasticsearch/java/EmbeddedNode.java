package entitysearch.local;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.elasticsearch.common.logging.LogConfigurator;
import org.elasticsearch.common.settings.Settings;
import org.elasticsearch.env.Environment;
import org.elasticsearch.node.InternalSettingsPreparer;
import org.elasticsearch.node.Node;
import org.elasticsearch.plugins.PluginBundle;
import org.elasticsearch.plugins.PluginsLoader;

/**
 * One Elasticsearch node in this process. Arguments are settings, `name=value`. The node closes in
 * order when standard input ends: our parent asks for it that way, and dies that way too.
 */
public final class EmbeddedNode {
    private static final long CLOSE_SECONDS = 5;

    private EmbeddedNode() {}

    public static void main(String[] arguments) throws Exception {
        Thread watchdog = new Thread(EmbeddedNode::exitAtEndOfInput, "end-of-input");
        watchdog.setDaemon(true);
        watchdog.start();

        LogConfigurator.configureESLogging();
        Settings.Builder given = Settings.builder();
        Arrays.stream(arguments).map(argument -> argument.split("=", 2)).forEach(pair -> given.put(pair[0], pair[1]));
        Settings settings = given.build();
        LogConfigurator.configureWithoutConfig(settings);
        Path home = Path.of(settings.get("path.home"));
        Environment environment =
            InternalSettingsPreparer.prepareEnvironment(settings, Map.of(), home.resolve("config"), () -> "local");
        PluginsLoader plugins = PluginsLoader.createPluginsLoader(
            bundlesIn("loadModulesBundles", environment.modulesDir()),
            bundlesIn("loadPluginsBundles", environment.pluginsDir()),
            Map.of()
        );
        Node node = new Node(environment, plugins);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> close(node), "close"));
        node.start();
        // The server's own threads are all daemons: without this one the process would end here.
        new CountDownLatch(1).await();
    }

    /** Elasticsearch 9 looks for parts of its own distribution unless a setting forbids it; 8 never looks. */
    @SuppressWarnings("unchecked")
    private static Set<PluginBundle> bundlesIn(String loader, Path folder) throws ReflectiveOperationException {
        for (Method method : PluginsLoader.class.getMethods()) {
            if (method.getName().equals(loader) == false) continue;
            Object[] arguments = method.getParameterCount() == 1 ? new Object[] { folder } : new Object[] { folder, false };
            return (Set<PluginBundle>) method.invoke(null, arguments);
        }
        throw new NoSuchMethodException(loader);
    }

    private static void exitAtEndOfInput() {
        try {
            while (System.in.read() >= 0) {
                // The input means nothing; only its end counts.
            }
        } catch (IOException broken) {
            System.err.println("Standard input broke, which is taken as its end: " + broken);
        }
        System.exit(0);
    }

    private static void close(Node node) {
        try {
            node.prepareForClose();
            node.close();
            if (node.awaitClose(CLOSE_SECONDS, TimeUnit.SECONDS) == false) {
                System.err.println("Shards were still open after " + CLOSE_SECONDS + " s; they recover at the next start.");
            }
        } catch (IOException error) {
            System.err.println("The node did not close in order: " + error);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
