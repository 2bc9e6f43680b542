import { createContext } from 'preact';
import { useContext } from 'preact/hooks';

interface NavigateOptions {
  /** True if the address replaces the current one in the history. */
  readonly replace?: boolean;
}

type Navigate = (href: string, options?: NavigateOptions) => void;

/** Goes to an address: by loading it, unless a provider offers another way. */
export const NavigationContext = createContext<Navigate>((href) => location.assign(href));

export function useNavigate(): Navigate {
  return useContext(NavigationContext);
}
