import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

interface Tab<Name extends string> {
  readonly name: Name;
  readonly label: ComponentChildren;
}

interface TabsProps<Name extends string> {
  readonly label: string;
  readonly tabs: readonly Tab<Name>[];
  readonly selected: Name;
  readonly onSelect: (name: Name) => void;
  /** Returns the address of a tab, so that it also opens without scripts. */
  readonly hrefOf?: (name: Name) => string;
  /** The panel of the selected tab. */
  readonly children: ComponentChildren;
  readonly small?: boolean;
}

/** Tabs that follow the ARIA practices: arrows, Home and End move between tabs, and Tab moves into the panel. */
export function Tabs<Name extends string>({
  label,
  tabs,
  selected,
  onSelect,
  hrefOf,
  children,
  small,
}: TabsProps<Name>) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);

  // Scroll the selected tab into view.
  useEffect(() => {
    const tab = list.current?.querySelector('[aria-selected=true]');
    if (!tab || list.current === null || list.current.scrollWidth <= list.current.clientWidth) return;
    const [outer, inner] = [list.current.getBoundingClientRect(), tab.getBoundingClientRect()];
    list.current.scrollLeft += inner.left - outer.left - (outer.width - inner.width) / 2;
  }, [selected]);

  function go(to: number): void {
    const at = (to + tabs.length) % tabs.length;
    const tab = tabs[at];
    if (tab === undefined) return;
    onSelect(tab.name);
    list.current?.querySelectorAll<HTMLElement>('[role=tab]')[at]?.focus();
  }

  function onKeyDown(event: KeyboardEvent): void {
    const at = tabs.findIndex(({ name }) => name === selected);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    go(to);
  }

  return (
    <div class={small ? 'tabs tabs-small' : 'tabs'}>
      <div class="tab-list" role="tablist" aria-label={label} ref={list} onKeyDown={onKeyDown}>
        {tabs.map(({ name, label: text }) => {
          const tab = {
            key: name,
            role: 'tab',
            id: `${id}-tab-${name}`,
            'aria-selected': name === selected,
            'aria-controls': `${id}-panel`,
            tabIndex: name === selected ? 0 : -1,
            children: text,
          } as const;
          return hrefOf ? (
            <a {...tab} href={hrefOf(name)} />
          ) : (
            <button {...tab} type="button" onClick={() => onSelect(name)} />
          );
        })}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-tab-${selected}`}>
        {children}
      </div>
    </div>
  );
}
