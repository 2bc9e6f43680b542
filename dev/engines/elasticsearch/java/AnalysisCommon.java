package entitysearch.local;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.apache.lucene.analysis.CharArraySet;
import org.apache.lucene.analysis.StopFilter;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.charfilter.HTMLStripCharFilter;
import org.apache.lucene.analysis.charfilter.MappingCharFilter;
import org.apache.lucene.analysis.core.DecimalDigitFilter;
import org.apache.lucene.analysis.core.FlattenGraphFilter;
import org.apache.lucene.analysis.core.KeywordTokenizer;
import org.apache.lucene.analysis.core.LetterTokenizer;
import org.apache.lucene.analysis.core.UpperCaseFilter;
import org.apache.lucene.analysis.core.WhitespaceTokenizer;
import org.apache.lucene.analysis.en.EnglishAnalyzer;
import org.apache.lucene.analysis.en.KStemFilter;
import org.apache.lucene.analysis.en.PorterStemFilter;
import org.apache.lucene.analysis.miscellaneous.ASCIIFoldingFilter;
import org.apache.lucene.analysis.miscellaneous.LengthFilter;
import org.apache.lucene.analysis.miscellaneous.LimitTokenCountFilter;
import org.apache.lucene.analysis.miscellaneous.RemoveDuplicatesTokenFilter;
import org.apache.lucene.analysis.miscellaneous.TrimFilter;
import org.apache.lucene.analysis.miscellaneous.TruncateTokenFilter;
import org.apache.lucene.analysis.ngram.EdgeNGramTokenFilter;
import org.apache.lucene.analysis.ngram.NGramTokenFilter;
import org.apache.lucene.analysis.pattern.PatternReplaceCharFilter;
import org.apache.lucene.analysis.pattern.PatternReplaceFilter;
import org.apache.lucene.analysis.pattern.PatternTokenizer;
import org.apache.lucene.analysis.reverse.ReverseStringFilter;
import org.elasticsearch.common.regex.Regex;
import org.elasticsearch.common.settings.Settings;
import org.elasticsearch.index.analysis.CharFilterFactory;
import org.elasticsearch.index.analysis.PreConfiguredTokenFilter;
import org.elasticsearch.index.analysis.PreConfiguredTokenizer;
import org.elasticsearch.index.analysis.TokenFilterFactory;
import org.elasticsearch.index.analysis.TokenizerFactory;
import org.elasticsearch.indices.analysis.AnalysisModule.AnalysisProvider;
import org.elasticsearch.plugins.AnalysisPlugin;
import org.elasticsearch.plugins.Plugin;

/**
 * Replaces the server's `analysis-common` module, which Maven Central does not carry: the char
 * filters, tokenizers and token filters that our mappings use (and some near ones), under the official
 * names, parameters and defaults, each made of Lucene's own class. The same mapping runs on both.
 */
public final class AnalysisCommon extends Plugin implements AnalysisPlugin {

    @Override
    public Map<String, AnalysisProvider<CharFilterFactory>> getCharFilters() {
        Map<String, AnalysisProvider<CharFilterFactory>> filters = new TreeMap<>();
        filters.put("html_strip", (index, environment, name, settings) -> Parts.charFilter(name, HTMLStripCharFilter::new));
        filters.put("mapping", AnalysisPlugin.requiresAnalysisSettings((index, environment, name, settings) -> {
            var rules = Rules.characterMap(environment, settings);
            return Parts.normalizingCharFilter(name, reader -> new MappingCharFilter(rules, reader));
        }));
        filters.put("pattern_replace", AnalysisPlugin.requiresAnalysisSettings((index, environment, name, settings) -> {
            Pattern pattern = requiredPattern(name, settings);
            String replacement = settings.get("replacement", "");
            return Parts.normalizingCharFilter(name, reader -> new PatternReplaceCharFilter(pattern, replacement, reader));
        }));
        return filters;
    }

    @Override
    public Map<String, AnalysisProvider<TokenizerFactory>> getTokenizers() {
        Map<String, AnalysisProvider<TokenizerFactory>> tokenizers = new TreeMap<>();
        tokenizers.put("char_group", (index, environment, name, settings) -> CharacterGroups.tokenizer(name, settings));
        tokenizers.put("edge_ngram", (index, environment, name, settings) -> NGramTokenizers.edge(name, settings));
        tokenizers.put("ngram", (index, environment, name, settings) -> NGramTokenizers.full(index, name, settings));
        tokenizers.put("keyword", (index, environment, name, settings) -> {
            int bufferSize = settings.getAsInt("buffer_size", KeywordTokenizer.DEFAULT_BUFFER_SIZE);
            return TokenizerFactory.newFactory(name, () -> new KeywordTokenizer(bufferSize));
        });
        tokenizers.put("letter", (index, environment, name, settings) -> TokenizerFactory.newFactory(name, LetterTokenizer::new));
        tokenizers.put("pattern", (index, environment, name, settings) -> {
            Pattern pattern = Regex.compile(settings.get("pattern", "\\W+"), settings.get("flags"));
            int group = settings.getAsInt("group", -1);
            return TokenizerFactory.newFactory(name, () -> new PatternTokenizer(pattern, group));
        });
        tokenizers.put("whitespace", (index, environment, name, settings) -> {
            int longest = settings.getAsInt("max_token_length", 255);
            return TokenizerFactory.newFactory(name, () -> new WhitespaceTokenizer(longest));
        });
        return tokenizers;
    }

    @Override
    public Map<String, AnalysisProvider<TokenFilterFactory>> getTokenFilters() {
        Map<String, AnalysisProvider<TokenFilterFactory>> filters = new TreeMap<>();
        addFolding(filters);
        addSelection(filters);
        addGrams(filters);
        filters.put("kstem", (index, environment, name, settings) -> Parts.filter(name, KStemFilter::new));
        filters.put("porter_stem", (index, environment, name, settings) -> Parts.filter(name, PorterStemFilter::new));
        filters.put("stemmer", (index, environment, name, settings) -> Parts.filter(name, Stemmers.of(name, settings)));
        filters.put("synonym", AnalysisPlugin.requiresAnalysisSettings(
            (index, environment, name, settings) -> new Synonyms(index, name, environment, settings, false)));
        filters.put("synonym_graph", AnalysisPlugin.requiresAnalysisSettings(
            (index, environment, name, settings) -> new Synonyms(index, name, environment, settings, true)));
        return filters;
    }

    /** Filters that turn a token into another spelling of it; most may be part of a normalizer. */
    private static void addFolding(Map<String, AnalysisProvider<TokenFilterFactory>> filters) {
        filters.put("asciifolding", (index, environment, name, settings) -> {
            boolean keep = settings.getAsBoolean("preserve_original", false);
            return new Parts.Folding(name, stream -> new ASCIIFoldingFilter(stream, keep), ASCIIFoldingFilter::new);
        });
        filters.put("decimal_digit", (index, environment, name, settings) -> Parts.normalizing(name, DecimalDigitFilter::new));
        filters.put("pattern_replace", AnalysisPlugin.requiresAnalysisSettings((index, environment, name, settings) -> {
            Pattern pattern = requiredPattern(name, settings);
            String replacement = settings.get("replacement", "");
            boolean all = settings.getAsBoolean("all", true);
            return Parts.normalizing(name, stream -> new PatternReplaceFilter(stream, pattern, replacement, all));
        }));
        filters.put("reverse", (index, environment, name, settings) -> Parts.filter(name, ReverseStringFilter::new));
        filters.put("trim", (index, environment, name, settings) -> Parts.normalizing(name, TrimFilter::new));
        filters.put("truncate", AnalysisPlugin.requiresAnalysisSettings((index, environment, name, settings) -> {
            int length = settings.getAsInt("length", -1);
            if (length <= 0) throw new IllegalArgumentException("length parameter must be provided");
            return Parts.filter(name, stream -> new TruncateTokenFilter(stream, length));
        }));
        filters.put("uppercase", (index, environment, name, settings) -> Parts.normalizing(name, UpperCaseFilter::new));
    }

    /** Filters that keep some tokens and drop others. */
    private static void addSelection(Map<String, AnalysisProvider<TokenFilterFactory>> filters) {
        filters.put("flatten_graph", (index, environment, name, settings) -> Parts.filter(name, FlattenGraphFilter::new));
        filters.put("length", (index, environment, name, settings) -> {
            int shortest = settings.getAsInt("min", 0);
            int longest = settings.getAsInt("max", Integer.MAX_VALUE);
            return Parts.filter(name, stream -> new LengthFilter(stream, shortest, longest));
        });
        filters.put("limit", (index, environment, name, settings) -> {
            int most = settings.getAsInt("max_token_count", 1);
            boolean consumeAll = settings.getAsBoolean("consume_all_tokens", false);
            return Parts.filter(name, stream -> new LimitTokenCountFilter(stream, most, consumeAll));
        });
        filters.put("remove_duplicates", (index, environment, name, settings) ->
            Parts.filter(name, RemoveDuplicatesTokenFilter::new));
        filters.put("unique", (index, environment, name, settings) -> {
            boolean samePosition = settings.getAsBoolean("only_on_same_position", false);
            return Parts.filter(name, stream -> new UniqueTokens(stream, samePosition));
        });
    }

    /** Filters that cut a token into parts; none of them may come before a synonym filter. */
    private static void addGrams(Map<String, AnalysisProvider<TokenFilterFactory>> filters) {
        filters.put("edge_ngram", (index, environment, name, settings) -> {
            int shortest = settings.getAsInt("min_gram", 1);
            int longest = settings.getAsInt("max_gram", 2);
            boolean keep = settings.getAsBoolean("preserve_original", false);
            boolean back = isBack(settings.get("side", "front"));
            return Parts.cutting(name, true, stream -> edgeGrams(stream, shortest, longest, keep, back));
        });
        filters.put("ngram", (index, environment, name, settings) -> {
            int shortest = settings.getAsInt("min_gram", 1);
            int longest = settings.getAsInt("max_gram", 2);
            boolean keep = settings.getAsBoolean("preserve_original", false);
            NGramTokenizers.refuseWideRange(index, shortest, longest);
            return Parts.cutting(name, true, stream -> new NGramTokenFilter(stream, shortest, longest, keep));
        });
        filters.put("word_delimiter_graph", (index, environment, name, settings) ->
            Parts.cutting(name, false, WordDelimiters.of(environment, settings)));
    }

    /** Parts that the official module offers by name alone, if that differs from an empty definition. */
    @Override
    public List<PreConfiguredTokenFilter> getPreConfiguredTokenFilters() {
        return List.of(
            PreConfiguredTokenFilter.singleton("edge_ngram", false, false, stream -> new EdgeNGramTokenFilter(stream, 1)),
            PreConfiguredTokenFilter.singleton("stop", false, stream -> new StopFilter(stream, englishStopWords())),
            PreConfiguredTokenFilter.singleton("truncate", false, stream -> new TruncateTokenFilter(stream, 10))
        );
    }

    @Override
    public List<PreConfiguredTokenizer> getPreConfiguredTokenizers() {
        return List.of(
            PreConfiguredTokenizer.singleton("keyword", KeywordTokenizer::new),
            PreConfiguredTokenizer.singleton("whitespace", WhitespaceTokenizer::new)
        );
    }

    private static CharArraySet englishStopWords() {
        return EnglishAnalyzer.ENGLISH_STOP_WORDS_SET;
    }

    /** Lucene takes grams from the front only; from the back they are the front ones of the reversed token. */
    private static TokenStream edgeGrams(TokenStream stream, int shortest, int longest, boolean keep, boolean back) {
        if (back == false) return new EdgeNGramTokenFilter(stream, shortest, longest, keep);
        return new ReverseStringFilter(new EdgeNGramTokenFilter(new ReverseStringFilter(stream), shortest, longest, keep));
    }

    private static boolean isBack(String side) {
        return switch (side) {
            case "front" -> false;
            case "back" -> true;
            default -> throw new IllegalArgumentException("invalid side: " + side);
        };
    }

    private static Pattern requiredPattern(String name, Settings settings) {
        String pattern = settings.get("pattern");
        if (pattern == null || pattern.isEmpty()) {
            throw new IllegalArgumentException("pattern is missing for [" + name + "] of type 'pattern_replace'");
        }
        return Regex.compile(pattern, settings.get("flags"));
    }
}
