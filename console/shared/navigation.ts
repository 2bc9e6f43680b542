import { createContext } from 'preact';
import { useContext } from 'preact/hooks';

interface NavigateOptions {
  /** Whether the address takes the place of the one before, which can then not be gone back to. */
  readonly replace?: boolean;
}

type Navigate = (href: string, options?: NavigateOptions) => void;

/** Goes to an address; the browser's own way, as long as nobody provides another. */
export const NavigationContext = createContext<Navigate>((href) => location.assign(href));

/** How a component goes to an address. */
export function useNavigate(): Navigate {
  return useContext(NavigationContext);
}
