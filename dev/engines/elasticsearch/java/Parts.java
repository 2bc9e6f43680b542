package entitysearch.local;

import java.io.Reader;
import java.util.function.UnaryOperator;
import org.apache.lucene.analysis.TokenStream;
import org.elasticsearch.index.analysis.CharFilterFactory;
import org.elasticsearch.index.analysis.NormalizingCharFilterFactory;
import org.elasticsearch.index.analysis.NormalizingTokenFilterFactory;
import org.elasticsearch.index.analysis.TokenFilterFactory;

/** The server's factories, each made of a name and a function over streams. */
final class Parts {
    private Parts() {}

    static TokenFilterFactory filter(String name, UnaryOperator<TokenStream> wrap) {
        return new Plain(name, wrap);
    }

    /** A filter that gives one token for one, so that a normalizer may use it. */
    static TokenFilterFactory normalizing(String name, UnaryOperator<TokenStream> wrap) {
        return new Normalizing(name, wrap);
    }

    /** A filter that cuts tokens: the rules of a later synonym filter can't be read through it. */
    static TokenFilterFactory cutting(String name, boolean breaksHighlighter, UnaryOperator<TokenStream> wrap) {
        return new Cutting(name, breaksHighlighter, wrap);
    }

    static CharFilterFactory charFilter(String name, UnaryOperator<Reader> wrap) {
        return new PlainChars(name, wrap);
    }

    static CharFilterFactory normalizingCharFilter(String name, UnaryOperator<Reader> wrap) {
        return new NormalizingChars(name, wrap);
    }

    private record Plain(String name, UnaryOperator<TokenStream> wrap) implements TokenFilterFactory {
        @Override
        public TokenStream create(TokenStream stream) {
            return wrap.apply(stream);
        }
    }

    private record Normalizing(String name, UnaryOperator<TokenStream> wrap) implements NormalizingTokenFilterFactory {
        @Override
        public TokenStream create(TokenStream stream) {
            return wrap.apply(stream);
        }
    }

    private record Cutting(String name, boolean breaksFastVectorHighlighter, UnaryOperator<TokenStream> wrap)
        implements TokenFilterFactory {
        @Override
        public TokenStream create(TokenStream stream) {
            return wrap.apply(stream);
        }

        @Override
        public TokenFilterFactory getSynonymFilter() {
            throw new IllegalArgumentException("Token filter [" + name + "] cannot be used to parse synonyms");
        }
    }

    /** May give two tokens (folded and original) in an analyzer, but only one in a normalizer or a synonym rule. */
    record Folding(String name, UnaryOperator<TokenStream> wrap, UnaryOperator<TokenStream> single)
        implements NormalizingTokenFilterFactory {
        @Override
        public TokenStream create(TokenStream stream) {
            return wrap.apply(stream);
        }

        @Override
        public TokenStream normalize(TokenStream stream) {
            return single.apply(stream);
        }

        @Override
        public TokenFilterFactory getSynonymFilter() {
            return new Normalizing(name, single);
        }
    }

    private record PlainChars(String name, UnaryOperator<Reader> wrap) implements CharFilterFactory {
        @Override
        public Reader create(Reader reader) {
            return wrap.apply(reader);
        }
    }

    private record NormalizingChars(String name, UnaryOperator<Reader> wrap) implements NormalizingCharFilterFactory {
        @Override
        public Reader create(Reader reader) {
            return wrap.apply(reader);
        }
    }
}
