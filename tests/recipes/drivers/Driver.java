// Asks the recipe in Java: for each line of standard input, `<now> <pass in hexadecimal>`, prints 1 or 0.
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

public class Driver {
    public static void main(String[] arguments) throws Exception {
        var lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String[] parts = line.split(" ", -1);
            String pass = new String(HexFormat.of().parseHex(parts[1]), StandardCharsets.UTF_8);
            System.out.println(Verify.verify(pass, Long.parseLong(parts[0])) ? 1 : 0);
        }
    }
}
