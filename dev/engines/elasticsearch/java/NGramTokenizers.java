package entitysearch.local;

import java.util.List;
import java.util.Locale;
import java.util.function.IntPredicate;
import org.apache.lucene.analysis.Tokenizer;
import org.apache.lucene.analysis.ngram.EdgeNGramTokenizer;
import org.apache.lucene.analysis.ngram.NGramTokenizer;
import org.elasticsearch.common.settings.Settings;
import org.elasticsearch.index.IndexSettings;
import org.elasticsearch.index.analysis.TokenizerFactory;

/** The `ngram` and `edge_ngram` tokenizers with their `token_chars`. */
final class NGramTokenizers {
    private NGramTokenizers() {}

    static TokenizerFactory full(IndexSettings index, String name, Settings settings) {
        int shortest = settings.getAsInt("min_gram", NGramTokenizer.DEFAULT_MIN_NGRAM_SIZE);
        int longest = settings.getAsInt("max_gram", NGramTokenizer.DEFAULT_MAX_NGRAM_SIZE);
        refuseWideRange(index, shortest, longest);
        IntPredicate wanted = tokenCharacters(settings);
        return TokenizerFactory.newFactory(name, () -> (Tokenizer) new NGramTokenizer(shortest, longest) {
            @Override
            protected boolean isTokenChar(int character) {
                return wanted.test(character);
            }
        });
    }

    static TokenizerFactory edge(String name, Settings settings) {
        int shortest = settings.getAsInt("min_gram", NGramTokenizer.DEFAULT_MIN_NGRAM_SIZE);
        int longest = settings.getAsInt("max_gram", NGramTokenizer.DEFAULT_MAX_NGRAM_SIZE);
        IntPredicate wanted = tokenCharacters(settings);
        return TokenizerFactory.newFactory(name, () -> (Tokenizer) new EdgeNGramTokenizer(shortest, longest) {
            @Override
            protected boolean isTokenChar(int character) {
                return wanted.test(character);
            }
        });
    }

    /** `index.max_ngram_diff` bounds how many grams one token may give. */
    static void refuseWideRange(IndexSettings index, int shortest, int longest) {
        if (longest - shortest > index.getMaxNgramDiff()) {
            throw new IllegalArgumentException(
                "max_gram minus min_gram must be at most [" + index.getMaxNgramDiff() + "] but was [" + (longest - shortest)
                    + "]; the index setting [index.max_ngram_diff] raises this limit");
        }
    }

    private static IntPredicate tokenCharacters(Settings settings) {
        List<String> classes = settings.getAsList("token_chars");
        String custom = settings.get("custom_token_chars", "");
        IntPredicate none = character -> false;
        return classes.isEmpty()
            ? character -> true
            : classes.stream().map(name -> characterClass(name, custom)).reduce(none, IntPredicate::or);
    }

    static IntPredicate characterClass(String name, String custom) {
        return switch (name.toLowerCase(Locale.ROOT).trim()) {
            case "letter" -> Character::isLetter;
            case "digit" -> Character::isDigit;
            case "whitespace" -> Character::isWhitespace;
            case "punctuation" -> NGramTokenizers::isPunctuation;
            case "symbol" -> NGramTokenizers::isSymbol;
            case "custom" -> character -> custom.indexOf(character) >= 0;
            default -> throw new IllegalArgumentException("Unknown token type: '" + name + "'");
        };
    }

    private static boolean isPunctuation(int character) {
        return switch (Character.getType(character)) {
            case Character.START_PUNCTUATION, Character.END_PUNCTUATION, Character.OTHER_PUNCTUATION,
                Character.CONNECTOR_PUNCTUATION, Character.DASH_PUNCTUATION, Character.INITIAL_QUOTE_PUNCTUATION,
                Character.FINAL_QUOTE_PUNCTUATION -> true;
            default -> false;
        };
    }

    private static boolean isSymbol(int character) {
        return switch (Character.getType(character)) {
            case Character.CURRENCY_SYMBOL, Character.MATH_SYMBOL, Character.OTHER_SYMBOL, Character.MODIFIER_SYMBOL -> true;
            default -> false;
        };
    }
}
