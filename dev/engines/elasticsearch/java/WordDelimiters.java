package entitysearch.local;

import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.apache.lucene.analysis.CharArraySet;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.miscellaneous.WordDelimiterGraphFilter;
import org.apache.lucene.analysis.miscellaneous.WordDelimiterIterator;
import org.elasticsearch.common.settings.Settings;
import org.elasticsearch.env.Environment;
import org.elasticsearch.index.analysis.Analysis;

/** `word_delimiter_graph`: its settings as the flags of Lucene's filter. */
final class WordDelimiters {
    private record Flag(String setting, boolean normally, int bit) {}

    private static final List<Flag> FLAGS = List.of(
        new Flag("generate_word_parts", true, WordDelimiterGraphFilter.GENERATE_WORD_PARTS),
        new Flag("generate_number_parts", true, WordDelimiterGraphFilter.GENERATE_NUMBER_PARTS),
        new Flag("catenate_words", false, WordDelimiterGraphFilter.CATENATE_WORDS),
        new Flag("catenate_numbers", false, WordDelimiterGraphFilter.CATENATE_NUMBERS),
        new Flag("catenate_all", false, WordDelimiterGraphFilter.CATENATE_ALL),
        new Flag("split_on_case_change", true, WordDelimiterGraphFilter.SPLIT_ON_CASE_CHANGE),
        new Flag("preserve_original", false, WordDelimiterGraphFilter.PRESERVE_ORIGINAL),
        new Flag("split_on_numerics", true, WordDelimiterGraphFilter.SPLIT_ON_NUMERICS),
        new Flag("stem_english_possessive", true, WordDelimiterGraphFilter.STEM_ENGLISH_POSSESSIVE),
        new Flag("ignore_keywords", false, WordDelimiterGraphFilter.IGNORE_KEYWORDS)
    );

    private WordDelimiters() {}

    static UnaryOperator<TokenStream> of(Environment environment, Settings settings) {
        int flags = FLAGS.stream()
            .filter(flag -> settings.getAsBoolean(flag.setting, flag.normally))
            .mapToInt(Flag::bit)
            .reduce(0, (all, bit) -> all | bit);
        List<String> rules = Analysis.getWordList(environment, settings, "type_table");
        byte[] types = rules == null ? WordDelimiterIterator.DEFAULT_WORD_DELIM_TABLE : Rules.typeTable(rules);
        Set<?> words = Analysis.getWordSet(environment, settings, "protected_words");
        CharArraySet untouched = words == null ? null : CharArraySet.copy(words);
        boolean adjustOffsets = settings.getAsBoolean("adjust_offsets", true);
        return stream -> new WordDelimiterGraphFilter(stream, adjustOffsets, types, flags, untouched);
    }
}
