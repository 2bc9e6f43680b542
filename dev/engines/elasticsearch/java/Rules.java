package entitysearch.local;

import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import org.apache.lucene.analysis.charfilter.NormalizeCharMap;
import org.apache.lucene.analysis.miscellaneous.WordDelimiterIterator;
import org.elasticsearch.common.settings.Settings;
import org.elasticsearch.env.Environment;
import org.elasticsearch.index.analysis.Analysis;

/** Reads the `left => right` rules of the settings, with their backslash escapes. */
final class Rules {
    private Rules() {}

    /** The `mappings` (or `mappings_path`) of a mapping char filter. */
    static NormalizeCharMap characterMap(Environment environment, Settings settings) {
        List<String> rules = Analysis.getWordList(environment, settings, "mappings");
        if (rules == null) {
            throw new IllegalArgumentException("mapping requires either `mappings` or `mappings_path` to be configured");
        }
        NormalizeCharMap.Builder map = new NormalizeCharMap.Builder();
        for (String rule : rules) {
            String[] sides = sidesOf(rule);
            map.add(unescape(sides[0], rule), unescape(sides[1], rule));
        }
        return map.build();
    }

    /** The `type_table` of a word delimiter: character => LOWER | UPPER | ALPHA | DIGIT | ALPHANUM | SUBWORD_DELIM. */
    static byte[] typeTable(List<String> rules) {
        TreeMap<Character, Byte> types = new TreeMap<>();
        for (String rule : rules) {
            String[] sides = sidesOf(rule);
            String character = unescape(sides[0], rule);
            if (character.length() != 1) throw invalid(rule, "only one character is allowed on the left");
            types.put(character.charAt(0), typeOf(sides[1], rule));
        }
        int size = Math.max(types.isEmpty() ? 0 : types.lastKey() + 1, WordDelimiterIterator.DEFAULT_WORD_DELIM_TABLE.length);
        byte[] table = new byte[size];
        for (int code = 0; code < size; code++) {
            Byte given = types.get((char) code);
            table[code] = given != null ? given : WordDelimiterIterator.getType(code);
        }
        return table;
    }

    private static byte typeOf(String name, String rule) {
        return switch (name.toUpperCase(Locale.ROOT)) {
            case "LOWER" -> 0x01;
            case "UPPER" -> 0x02;
            case "ALPHA" -> 0x01 | 0x02;
            case "DIGIT" -> 0x04;
            case "SUBWORD_DELIM" -> 0x08;
            case "ALPHANUM" -> 0x01 | 0x02 | 0x04;
            default -> throw invalid(rule, "unknown type [" + name + "]");
        };
    }

    private static String[] sidesOf(String rule) {
        int arrow = rule.lastIndexOf("=>");
        if (arrow < 0) throw invalid(rule, "it has no `=>`");
        return new String[] { rule.substring(0, arrow).trim(), rule.substring(arrow + 2).trim() };
    }

    private static String unescape(String text, String rule) {
        StringBuilder plain = new StringBuilder();
        for (int at = 0; at < text.length(); at++) {
            if (text.charAt(at) != '\\') {
                plain.append(text.charAt(at));
                continue;
            }
            at++;
            if (at >= text.length()) throw invalid(rule, "it ends in a backslash");
            if (text.charAt(at) == 'u') {
                if (at + 4 >= text.length()) throw invalid(rule, "\\u wants four digits");
                plain.append((char) Integer.parseInt(text.substring(at + 1, at + 5), 16));
                at += 4;
            } else {
                plain.append(escaped(text.charAt(at)));
            }
        }
        return plain.toString();
    }

    private static char escaped(char letter) {
        return switch (letter) {
            case 'n' -> '\n';
            case 't' -> '\t';
            case 'r' -> '\r';
            case 'b' -> '\b';
            case 'f' -> '\f';
            default -> letter;
        };
    }

    private static IllegalArgumentException invalid(String rule, String why) {
        return new IllegalArgumentException("Invalid mapping rule [" + rule + "]: " + why);
    }
}
