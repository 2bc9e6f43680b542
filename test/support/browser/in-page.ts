/**
 * Functions that run in the page. Their text is sent there, so each uses only its argument and the page's globals,
 * which are declared here because the project's types lack them.
 */

interface CspViolation {
  readonly effectiveDirective: string;
  readonly blockedURI: string;
  readonly sourceFile: string;
  readonly lineNumber: number;
}

declare const document: {
  addEventListener(type: 'securitypolicyviolation', listener: (event: CspViolation) => void): void;
};
declare const window: EventTarget & {
  layoutShift: number;
  reportViolation(text: string): void;
  askWallet(uuid: string, request: WalletRequest): Promise<WalletAnswer>;
};

/** Reports every violation of the page's content security policy to the test. */
export function reportViolations(): void {
  document.addEventListener('securitypolicyviolation', (event) => {
    const { effectiveDirective, blockedURI, sourceFile, lineNumber } = event;
    window.reportViolation(`${effectiveDirective} stops ${blockedURI} at ${sourceFile}:${lineNumber}`);
  });
}

interface LayoutShift {
  readonly value: number;
  readonly hadRecentInput: boolean;
}

declare class PerformanceObserver {
  constructor(callback: (list: { getEntries(): readonly LayoutShift[] }) => void);
  observe(options: { readonly type: string; readonly buffered: boolean }): void;
}

/** Sums up the layout shifts of a document (CLS) in `window.layoutShift`. */
export function sumLayoutShifts(): void {
  window.layoutShift = 0;
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) window.layoutShift += value;
  }).observe({ type: 'layout-shift', buffered: true });
}

/** The announcement of a wallet (EIP-6963). */
export interface WalletInfo {
  readonly uuid: string;
  readonly name: string;
  readonly icon: string;
  readonly rdns: string;
}

export interface WalletRequest {
  readonly method: string;
  readonly params?: readonly unknown[];
}

export type WalletAnswer =
  | { readonly ok: true; readonly result: unknown }
  | { readonly ok: false; readonly code: number; readonly message: string };

/** Announces an EIP-1193 provider by EIP-6963: immediately, and whenever the page requests it. */
export function announceWallet(info: WalletInfo): void {
  const provider = {
    async request(request: WalletRequest): Promise<unknown> {
      const answer = await window.askWallet(info.uuid, request);
      if (answer.ok) return answer.result;
      throw Object.assign(new Error(answer.message), { code: answer.code });
    },
    on: () => provider,
    removeListener: () => provider,
  };
  const detail = Object.freeze({ info: Object.freeze(info), provider });
  const announce = (): void => void window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }));
  window.addEventListener('eip6963:requestProvider', announce);
  announce();
}
