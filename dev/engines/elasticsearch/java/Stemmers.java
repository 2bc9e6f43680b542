package entitysearch.local;

import java.util.Locale;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.en.EnglishMinimalStemFilter;
import org.apache.lucene.analysis.en.EnglishPossessiveFilter;
import org.apache.lucene.analysis.en.KStemFilter;
import org.apache.lucene.analysis.en.PorterStemFilter;
import org.apache.lucene.analysis.snowball.SnowballFilter;
import org.elasticsearch.common.Strings;
import org.elasticsearch.common.settings.Settings;

/** `stemmer`: all the English ones, and those languages whose plain name means the Snowball stemmer. */
final class Stemmers {
    private static final Set<String> SNOWBALL = Set.of(
        "armenian", "basque", "catalan", "danish", "dutch", "estonian", "finnish", "french", "german", "hungarian",
        "irish", "italian", "lithuanian", "norwegian", "portuguese", "romanian", "russian", "serbian", "spanish",
        "swedish", "turkish"
    );

    private Stemmers() {}

    static UnaryOperator<TokenStream> of(String name, Settings settings) {
        String language = settings.get("language", settings.get("name", "porter")).toLowerCase(Locale.ROOT);
        return switch (language) {
            case "english", "porter" -> PorterStemFilter::new;
            case "light_english", "lightenglish", "kstem" -> KStemFilter::new;
            case "minimal_english", "minimalenglish" -> EnglishMinimalStemFilter::new;
            case "possessive_english", "possessiveenglish" -> EnglishPossessiveFilter::new;
            case "porter2" -> stream -> new SnowballFilter(stream, "English");
            default -> snowball(name, language);
        };
    }

    private static UnaryOperator<TokenStream> snowball(String name, String language) {
        if (SNOWBALL.contains(language) == false) {
            throw new IllegalArgumentException(
                "The local node has no stemmer [" + language + "] for [" + name + "]: add it to Stemmers.java, or use the official image");
        }
        return stream -> new SnowballFilter(stream, Strings.capitalize(language));
    }
}
