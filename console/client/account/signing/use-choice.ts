import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { failureText } from '../use-request.ts';

/** The chosen way to sign, until its signature arrives. */
interface Choice {
  readonly chosen: string | null;
  readonly error: string | null;
  /**
   * Starts another way to sign and drops the earlier one, because a wallet may never answer. Check `isCurrent` before a
   * signature is used.
   */
  readonly choose: (id: string, sign: (isCurrent: () => boolean) => Promise<void>) => Promise<void>;
  readonly cancel: () => void;
}

export function useChoice(): Choice {
  const [state, setState] = useState<Pick<Choice, 'chosen' | 'error'>>({ chosen: null, error: null });
  const turn = useRef(0);
  const choose: Choice['choose'] = useCallback(async (id, sign) => {
    turn.current += 1;
    const mine = turn.current;
    const isCurrent = () => mine === turn.current;
    setState({ chosen: id, error: null });
    try {
      await sign(isCurrent);
      if (isCurrent()) setState({ chosen: null, error: null });
    } catch (cause) {
      const error = await failureText(cause);
      if (isCurrent()) setState({ chosen: null, error });
    }
  }, []);
  const cancel = useCallback(() => {
    turn.current += 1;
    setState({ chosen: null, error: null });
  }, []);
  // A signature that comes after the dialog was closed is not used.
  useEffect(
    () => () => {
      turn.current += 1;
    },
    [],
  );
  return { ...state, choose, cancel };
}
