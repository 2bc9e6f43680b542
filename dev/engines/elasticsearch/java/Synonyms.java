package entitysearch.local;

import java.io.IOException;
import java.io.Reader;
import java.io.StringReader;
import java.text.ParseException;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.synonym.SolrSynonymParser;
import org.apache.lucene.analysis.synonym.SynonymFilter;
import org.apache.lucene.analysis.synonym.SynonymGraphFilter;
import org.apache.lucene.analysis.synonym.SynonymMap;
import org.apache.lucene.analysis.synonym.WordnetSynonymParser;
import org.apache.lucene.util.CharsRef;
import org.apache.lucene.util.CharsRefBuilder;
import org.elasticsearch.common.settings.Settings;
import org.elasticsearch.env.Environment;
import org.elasticsearch.index.IndexSettings;
import org.elasticsearch.index.IndexService.IndexCreationContext;
import org.elasticsearch.index.analysis.Analysis;
import org.elasticsearch.index.analysis.AnalysisMode;
import org.elasticsearch.index.analysis.CharFilterFactory;
import org.elasticsearch.index.analysis.CustomAnalyzer;
import org.elasticsearch.index.analysis.TokenFilterFactory;
import org.elasticsearch.index.analysis.TokenizerFactory;

/**
 * `synonym` and `synonym_graph` with rules in the settings or in a file. The rules are read through
 * the tokenizer and filters before this one, so they meet the tokens in the same form.
 */
final class Synonyms implements TokenFilterFactory {
    private static final int CHAINS_KEPT = 16;
    /**
     * Rules that were read already. The server reads them again whenever an index is created or its settings change; a
     * thousand of them cost more than the rest of that, and tests do it a thousand times.
     */
    private static final Map<Chain, SynonymMap> READ = Collections.synchronizedMap(new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Chain, SynonymMap> eldest) {
            return size() > CHAINS_KEPT;
        }
    });

    private final Settings analysis;
    private final String name;
    private final String rules;
    private final boolean wordnet;
    private final boolean expand;
    private final boolean lenient;
    private final boolean graph;
    private final AnalysisMode mode;

    Synonyms(IndexSettings index, String name, Environment environment, Settings settings, boolean graph) {
        List<String> lines = Analysis.getWordList(environment, settings, "synonyms");
        if (lines == null) {
            throw new IllegalArgumentException(
                "[" + name + "] needs `synonyms` or `synonyms_path`; the local node has no synonyms API, so no `synonyms_set`");
        }
        boolean updateable = settings.getAsBoolean("updateable", false);
        this.analysis = index.getSettings().getByPrefix("index.analysis.");
        this.name = name;
        this.rules = String.join("\n", lines);
        this.wordnet = "wordnet".equalsIgnoreCase(settings.get("format", ""));
        this.expand = settings.getAsBoolean("expand", true);
        this.lenient = settings.getAsBoolean("lenient", updateable);
        this.graph = graph;
        this.mode = updateable ? AnalysisMode.SEARCH_TIME : AnalysisMode.ALL;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public AnalysisMode getAnalysisMode() {
        return mode;
    }

    @Override
    public TokenStream create(TokenStream stream) {
        throw new IllegalStateException("[" + name + "] works only in an analyzer's chain");
    }

    @Override
    public TokenFilterFactory getChainAwareTokenFilterFactory(
        IndexCreationContext context,
        TokenizerFactory tokenizer,
        List<CharFilterFactory> charFilters,
        List<TokenFilterFactory> before,
        Function<String, TokenFilterFactory> all
    ) {
        Chain chain = new Chain(
            analysis,
            name,
            rules,
            tokenizer.name(),
            charFilters.stream().map(CharFilterFactory::name).toList(),
            before.stream().map(TokenFilterFactory::name).toList()
        );
        SynonymMap known = READ.get(chain);
        SynonymMap map = known != null ? known : read(new CustomAnalyzer(
            tokenizer,
            charFilters.toArray(CharFilterFactory[]::new),
            before.stream().map(TokenFilterFactory::getSynonymFilter).toArray(TokenFilterFactory[]::new)
        ));
        if (known == null && chain.isDefinedByNames()) READ.put(chain, map);
        return new InChain(name, mode, stream -> apply(stream, map));
    }

    /** All that decides how rules are read: names stand for definitions, which are among the index's settings. */
    private record Chain(
        Settings analysis,
        String name,
        String rules,
        String tokenizer,
        List<String> charFilters,
        List<String> before
    ) {
        /** Not so for parts that a request to `_analyze` defines, and for word lists in files. */
        boolean isDefinedByNames() {
            return Stream.of(Stream.of(name, tokenizer), charFilters.stream(), before.stream())
                .flatMap(names -> names)
                .noneMatch(part -> part.startsWith("__anonymous__"))
                && analysis.keySet().stream().noneMatch(key -> key.endsWith("_path"));
        }
    }

    /** An empty set of rules changes nothing (Lucene's filters refuse it). */
    private TokenStream apply(TokenStream stream, SynonymMap map) {
        if (map.fst == null) return stream;
        return graph ? new SynonymGraphFilter(stream, map, false) : new SynonymFilter(stream, map, false);
    }

    private SynonymMap read(Analyzer analyzer) {
        try (Reader reader = new StringReader(rules)) {
            SynonymMap.Parser parser = wordnet ? new Wordnet(analyzer) : new Solr(analyzer);
            parser.parse(reader);
            return parser.build();
        } catch (IOException | ParseException | RuntimeException error) {
            throw new IllegalArgumentException("failed to build synonyms of [" + name + "]", error);
        }
    }

    /** A term that the chain swallows, or cuts in an unreadable way: skipped when lenient, else an error. */
    @FunctionalInterface
    private interface Analysing {
        CharsRef run() throws IOException;
    }

    private CharsRef analysed(Analysing analysing) throws IOException {
        try {
            return analysing.run();
        } catch (IllegalArgumentException error) {
            if (lenient) return new CharsRef("");
            throw error;
        }
    }

    private boolean usable(CharsRef input, CharsRef output) {
        return lenient == false || (input.length > 0 && output.length > 0);
    }

    private final class Solr extends SolrSynonymParser {
        Solr(Analyzer analyzer) {
            super(true, expand, analyzer);
        }

        @Override
        public CharsRef analyze(String text, CharsRefBuilder reuse) throws IOException {
            return analysed(() -> super.analyze(text, reuse));
        }

        @Override
        public void add(CharsRef input, CharsRef output, boolean includeOriginal) {
            if (usable(input, output)) super.add(input, output, includeOriginal);
        }
    }

    private final class Wordnet extends WordnetSynonymParser {
        Wordnet(Analyzer analyzer) {
            super(true, expand, analyzer);
        }

        @Override
        public CharsRef analyze(String text, CharsRefBuilder reuse) throws IOException {
            return analysed(() -> super.analyze(text, reuse));
        }

        @Override
        public void add(CharsRef input, CharsRef output, boolean includeOriginal) {
            if (usable(input, output)) super.add(input, output, includeOriginal);
        }
    }

    /** The filter in one analyzer. A later synonym filter reads its rules as if this one were not there. */
    private record InChain(String name, AnalysisMode mode, Function<TokenStream, TokenStream> wrap) implements TokenFilterFactory {
        @Override
        public TokenStream create(TokenStream stream) {
            return wrap.apply(stream);
        }

        @Override
        public TokenFilterFactory getSynonymFilter() {
            return IDENTITY_FILTER;
        }

        @Override
        public AnalysisMode getAnalysisMode() {
            return mode;
        }
    }
}
