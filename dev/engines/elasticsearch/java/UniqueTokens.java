package entitysearch.local;

import java.io.IOException;
import org.apache.lucene.analysis.CharArraySet;
import org.apache.lucene.analysis.TokenFilter;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;
import org.apache.lucene.analysis.tokenattributes.PositionIncrementAttribute;

/** `unique`: the first of equal tokens, in the whole stream or only among those at one position. */
final class UniqueTokens extends TokenFilter {
    private final CharTermAttribute term = addAttribute(CharTermAttribute.class);
    private final PositionIncrementAttribute position = addAttribute(PositionIncrementAttribute.class);
    private final CharArraySet seen = new CharArraySet(16, false);
    private final boolean samePositionOnly;

    UniqueTokens(TokenStream input, boolean samePositionOnly) {
        super(input);
        this.samePositionOnly = samePositionOnly;
    }

    /** A dropped token leaves no gap: the official filter does not count it as a position either. */
    @Override
    public boolean incrementToken() throws IOException {
        while (input.incrementToken()) {
            if (samePositionOnly && position.getPositionIncrement() > 0) seen.clear();
            if (seen.add(term.toString())) return true;
        }
        return false;
    }

    @Override
    public void reset() throws IOException {
        super.reset();
        seen.clear();
    }
}
