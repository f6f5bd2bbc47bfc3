// An origin in Java that admits only visitors with a pass of the waiting room. No library, Java 17 or newer. Take
// `verify` into your servlet filter; `java Verify.java 8080` is a small server. The settings come from
// `npm run origin-key`.
import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public class Verify {
    static final int MAX_PASS_BYTES = 1024;
    static final long LEEWAY_SECONDS = 30;
    /** How long the last pass of a session outlives it. */
    static final long LAST_PASS_SECONDS = 60;
    static final String ISSUER = setting("WAITING_ROOM_ISSUER");
    static final String AUDIENCE = setting("WAITING_ROOM_AUDIENCE");
    static final String EVENT = setting("WAITING_ROOM_EVENT");
    static final Map<String, SecretKeySpec> KEYS = keys();

    // The claims have one form, in bytes: what a JSON reader makes of another one does not matter.
    static final Pattern CLAIMS = Pattern.compile(
        ("\\{\"v\":[12],\"iss\":\"([^\"]+)\",\"aud\":\"([^\"]+)\",\"evt\":\"([^\"]+)\",\"run\":N,"
            + "\"jti\":\"N\\.N\\.N\",\"iat\":N,\"exp\":N,\"sx\":N\\}").replace("N", "(0|[1-9][0-9]{0,15})"));
    static final long[] LARGEST = {(1L << 32) - 1, (1L << 16) - 1, (1L << 32) - 1, (1L << 32) - 1,
        (1L << 53) - 1, (1L << 53) - 1, (1L << 53) - 1};

    /** Whether it is a pass that holds at `now`, in Unix seconds. */
    static boolean verify(String pass, long now) throws GeneralSecurityException {
        String[] segments = pass == null || pass.length() > MAX_PASS_BYTES ? new String[0] : pass.split("\\.", -1);
        if (segments.length != 3 || !KEYS.containsKey(segments[0])) return false;
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(KEYS.get(segments[0]));
        String signed = segments[0] + "." + segments[1];
        String signature = base64url(mac.doFinal(signed.getBytes(StandardCharsets.UTF_8)));
        // Compared as text, a signature has one form only.
        if (!MessageDigest.isEqual(bytes(signature), bytes(segments[2]))) return false;
        byte[] payload;
        try {
            payload = Base64.getUrlDecoder().decode(segments[1]);
        } catch (IllegalArgumentException notBase64) {
            return false;
        }
        var claims = CLAIMS.matcher(new String(payload, StandardCharsets.ISO_8859_1));
        if (!base64url(payload).equals(segments[1]) || !claims.matches()) return false;
        long[] numbers = new long[LARGEST.length]; // run, jti (home, index, generation), iat, exp, sx
        for (int at = 0; at < numbers.length; at++) {
            numbers[at] = Long.parseLong(claims.group(at + 4));
            if (numbers[at] > LARGEST[at]) return false;
        }
        boolean isForUs = claims.group(1).equals(ISSUER) && claims.group(2).equals(AUDIENCE) && claims.group(3).equals(EVENT);
        boolean isInTime = numbers[4] <= now + LEEWAY_SECONDS && now < numbers[5] + LEEWAY_SECONDS;
        return isForUs && isInTime && numbers[5] <= numbers[6] + LAST_PASS_SECONDS;
    }

    /** By the whole header that belongs to each: `<key id>:<base64url>`, with spaces between while two are live. */
    static Map<String, SecretKeySpec> keys() {
        Map<String, SecretKeySpec> keys = new HashMap<>();
        for (String text : setting("WAITING_ROOM_KEYS").split(" ")) {
            String[] parts = text.split(":");
            byte[] key = parts.length == 2 ? Base64.getUrlDecoder().decode(parts[1]) : new byte[0];
            if (key.length != 32) throw new IllegalStateException("WAITING_ROOM_KEYS: not <key id>:<32 bytes>");
            String header = "{\"alg\":\"HS256\",\"typ\":\"wr-pass+jwt\",\"kid\":\"" + parts[0] + "\"}";
            keys.put(base64url(bytes(header)), new SecretKeySpec(key, "HmacSHA256"));
        }
        return keys;
    }

    static String setting(String name) {
        String value = System.getenv(name);
        if (value == null || value.isEmpty()) throw new IllegalStateException(name + " is not set");
        return value;
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    static String base64url(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    public static void main(String[] arguments) throws Exception {
        var server = HttpServer.create(new InetSocketAddress("127.0.0.1", Integer.parseInt(arguments[0])), 0);
        server.createContext("/", exchange -> {
            boolean isIn = false;
            try {
                // Believe no other header, and no cookie.
                isIn = verify(exchange.getRequestHeaders().getFirst("Waiting-Room-Pass"), System.currentTimeMillis() / 1000);
            } catch (GeneralSecurityException unavailable) {
                System.err.println(unavailable);
            }
            byte[] answer = bytes(isIn ? "the shop\n" : "only through the waiting room\n");
            exchange.getResponseHeaders().set("Cache-Control", "no-store");
            exchange.sendResponseHeaders(isIn ? 200 : 403, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        server.start();
    }
}
