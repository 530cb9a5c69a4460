// Runs Kafka's command-line tools inside one JVM, many at a time, so that a run costs
// milliseconds instead of a JVM start.
//
// Reads one command a line from stdin: id, class, working input and arguments, separated by tabs
// with backslash escapes. Writes for each: a line "id exit-code out-bytes err-bytes", then the bytes.
// Started by the JDK's source launcher with Kafka's jars on the class path.

import java.io.*;
import java.nio.charset.StandardCharsets;
import java.util.*;
import org.apache.kafka.common.utils.internals.Exit;

public class ToolRunner {
    /** Thrown in place of the end of the JVM. */
    static final class Ended extends Error {
        final int code;

        Ended(int code) {
            super("exit " + code, null, false, false);
            this.code = code;
        }
    }

    /** What one running tool reads and writes; threads that it starts inherit it. */
    static final class Run {
        final ByteArrayOutputStream out = new ByteArrayOutputStream();
        final ByteArrayOutputStream err = new ByteArrayOutputStream();
        final List<Runnable> hooks = Collections.synchronizedList(new ArrayList<>());
        final InputStream in;
        volatile Integer code;

        Run(String input) {
            in = new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8));
        }
    }

    static final InheritableThreadLocal<Run> CURRENT = new InheritableThreadLocal<>();

    public static void main(String[] args) throws Exception {
        PrintStream answers = System.out;
        PrintStream rest = System.err;
        System.setOut(demultiplexed(rest, true));
        System.setErr(demultiplexed(rest, false));
        BufferedReader commands =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        System.setIn(new DemultiplexedInput());
        Exit.setExitProcedure((code, message) -> end(code, message));
        Exit.setHaltProcedure((code, message) -> end(code, message));
        Exit.setShutdownHookAdder((name, hook) -> {
            Run run = CURRENT.get();
            if (run != null) run.hooks.add(hook);
        });
        for (String line; (line = commands.readLine()) != null; ) {
            String[] fields = line.split("\t", -1);
            for (int i = 0; i < fields.length; i++) fields[i] = fields[i].translateEscapes();
            Thread thread = new Thread(() -> runTool(fields, answers), "tool-" + fields[0]);
            thread.setDaemon(true);
            thread.start();
        }
        System.exit(0);
    }

    static void end(int code, String message) {
        Run run = CURRENT.get();
        if (run != null && run.code == null) run.code = code;
        if (message != null) System.err.println(message);
        throw new Ended(code);
    }

    static void runTool(String[] fields, PrintStream answers) {
        Run run = new Run(fields[2]);
        CURRENT.set(run);
        int code = 0;
        try {
            String[] args = Arrays.copyOfRange(fields, 3, fields.length);
            Class.forName(fields[1]).getMethod("main", String[].class).invoke(null, (Object) args);
        } catch (java.lang.reflect.InvocationTargetException wrapped) {
            if (wrapped.getCause() instanceof Ended ended) {
                code = ended.code;
            } else {
                code = 1;
                wrapped.getCause().printStackTrace(System.err);
            }
        } catch (Throwable unexpected) {
            code = 1;
            unexpected.printStackTrace(System.err);
        }
        for (Runnable hook : run.hooks) {
            try {
                hook.run();
            } catch (Throwable ignored) {
                // A hook of a tool that has ended already.
            }
        }
        if (run.code != null) code = run.code;
        System.out.flush();
        System.err.flush();
        byte[] out = run.out.toByteArray();
        byte[] err = run.err.toByteArray();
        synchronized (answers) {
            answers.println(fields[0] + " " + code + " " + out.length + " " + err.length);
            answers.write(out, 0, out.length);
            answers.write(err, 0, err.length);
            answers.flush();
        }
    }

    static PrintStream demultiplexed(PrintStream rest, boolean out) {
        OutputStream stream = new OutputStream() {
            private OutputStream target() {
                Run run = CURRENT.get();
                return run == null ? rest : out ? run.out : run.err;
            }

            @Override
            public void write(int b) throws IOException {
                target().write(b);
            }

            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
                target().write(bytes, offset, length);
            }
        };
        return new PrintStream(stream, true, StandardCharsets.UTF_8);
    }

    static final class DemultiplexedInput extends InputStream {
        private InputStream source() {
            Run run = CURRENT.get();
            return run == null ? InputStream.nullInputStream() : run.in;
        }

        @Override
        public int read() throws IOException {
            return source().read();
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            return source().read(bytes, offset, length);
        }
    }
}
