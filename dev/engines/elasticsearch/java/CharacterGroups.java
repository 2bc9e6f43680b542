package entitysearch.local;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntPredicate;
import org.apache.lucene.analysis.Tokenizer;
import org.apache.lucene.analysis.util.CharTokenizer;
import org.apache.lucene.util.AttributeFactory;
import org.elasticsearch.common.settings.Settings;
import org.elasticsearch.index.analysis.TokenizerFactory;

/** The `char_group` tokenizer: words are the text between the characters of its `tokenize_on_chars`. */
final class CharacterGroups {
    private CharacterGroups() {}

    static TokenizerFactory tokenizer(String name, Settings settings) {
        int longest = settings.getAsInt("max_token_length", CharTokenizer.DEFAULT_MAX_WORD_LEN);
        IntPredicate separator = separators(settings.getAsList("tokenize_on_chars"));
        return TokenizerFactory.newFactory(name, () -> (Tokenizer) new CharTokenizer(AttributeFactory.DEFAULT_ATTRIBUTE_FACTORY, longest) {
            @Override
            protected boolean isTokenChar(int character) {
                return separator.test(character) == false;
            }
        });
    }

    private static IntPredicate separators(List<String> names) {
        IntPredicate groups = character -> false;
        Set<Integer> single = new HashSet<>();
        for (String name : names) {
            if (name == null || name.isEmpty()) throw new IllegalArgumentException("[tokenize_on_chars] cannot contain empty characters");
            if (name.length() == 1) single.add((int) name.charAt(0));
            else if (name.charAt(0) == '\\') single.add((int) escaped(name));
            else groups = groups.or(NGramTokenizers.characterClass(name, ""));
        }
        IntPredicate inGroup = groups;
        return character -> inGroup.test(character) || single.contains(character);
    }

    private static char escaped(String name) {
        return switch (name.charAt(1)) {
            case '\\' -> '\\';
            case 'n' -> '\n';
            case 't' -> '\t';
            case 'r' -> '\r';
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'u' -> (char) Integer.parseInt(name.substring(2), 16);
            default -> throw new IllegalArgumentException("Invalid escaped char in [" + name + "]");
        };
    }
}
