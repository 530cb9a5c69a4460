// Reads every line of fixtures/messages.txt with Kafka's own classes, writes the message again and
// compares; also prints what Kafka's default value of each message encodes to, where it can be
// encoded. Run by hand after the schema changed:
//
//     javac -cp 'libs/*' -d /tmp Recode.java
//     java -cp 'libs/*:/tmp' Recode libs fixtures/messages.txt > defaults.txt

import java.io.File;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.jar.JarFile;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.protocol.ObjectSerializationCache;

public class Recode {
    public static void main(String[] args) throws Exception {
        Map<String, Class<?>> classes = messageClasses(args[0]);
        int wrong = 0;
        int lines = 0;
        for (String line : Files.readAllLines(Path.of(args[1]))) {
            lines++;
            String[] words = line.split(" ");
            short version = Short.parseShort(words[1]);
            byte[] bytes = HexFormat.of().parseHex(words.length > 2 ? words[2] : "");
            Class<?> of = classes.get(words[0]);
            if (of == null) {
                System.err.println("no class for " + words[0]);
                wrong++;
                continue;
            }
            try {
                Message message = (Message) of.getConstructor().newInstance();
                ByteBuffer in = ByteBuffer.wrap(bytes);
                message.read(new ByteBufferAccessor(in), version);
                String again = HexFormat.of().formatHex(encode(message, version));
                if (in.hasRemaining() || !again.equals(HexFormat.of().formatHex(bytes))) {
                    System.err.println(line + "\n  left " + in.remaining() + ", written " + again);
                    wrong++;
                }
            } catch (Throwable e) {
                System.err.println(line + "\n  " + e);
                wrong++;
            }
            try {
                Message fresh = (Message) of.getConstructor().newInstance();
                String hex = HexFormat.of().formatHex(encode(fresh, version));
                System.out.println((words[0] + " " + version + " " + hex).trim());
            } catch (Exception e) {
                System.out.println(words[0] + " " + version + " refused");
            }
        }
        System.err.println(lines + " lines, " + wrong + " differ");
    }

    static byte[] encode(Message message, short version) {
        ObjectSerializationCache cache = new ObjectSerializationCache();
        ByteBuffer out = ByteBuffer.allocate(message.size(cache, version));
        message.write(new ByteBufferAccessor(out), cache, version);
        return out.array();
    }

    static Map<String, Class<?>> messageClasses(String libs) throws Exception {
        Map<String, Class<?>> found = new HashMap<>();
        for (File jar : new File(libs).listFiles()) {
            if (!jar.getName().matches("kafka.*\\.jar")) continue;
            try (JarFile open = new JarFile(jar)) {
                for (var entry : (Iterable<java.util.jar.JarEntry>) open.stream()::iterator) {
                    String name = entry.getName();
                    if (!name.matches(".*/(message|metadata|generated)/[A-Za-z]+\\.class")) continue;
                    Class<?> of = Class.forName(name.replace('/', '.').replace(".class", ""), false,
                            Recode.class.getClassLoader());
                    if (!Message.class.isAssignableFrom(of)) continue;
                    String simple = of.getSimpleName();
                    found.put(simple, of);
                    if (simple.endsWith("Data")) {
                        found.putIfAbsent(simple.substring(0, simple.length() - 4), of);
                    }
                }
            }
        }
        return found;
    }
}
