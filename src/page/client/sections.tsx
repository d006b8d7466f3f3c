import type { ComponentChild } from 'preact';
import type { Item } from './items.js';
import { t } from './language.js';
import { foldedSections, keepFolded } from './session.js';

interface SectionsProps {
  /** What is asked for, kept or not. */
  items: readonly Item[];
  names: readonly string[];
  /** What is looked for may be in any. */
  isSearch: boolean;
  list: (items: Item[]) => ComponentChild;
}

/** As names of sections and tags are compared. */
export const isSame = (one: string, other: string | null): boolean =>
  one.toLowerCase() === other?.toLowerCase();

/** Headings that fold: what is below none comes first. */
export function Sections({ items, names, isSearch, list }: SectionsProps) {
  const loose = items.filter(({ task }) => task.section === null);
  return (
    <>
      {loose.length > 0 && list(loose)}
      {names.map((name) => {
        const own = items.filter(({ task }) => isSame(name, task.section));
        const kept = own.filter(({ now }) => now === 'done').length;
        if (own.length === 0) return null;
        return (
          <details
            key={`${name} ${isSearch}`} // a browser folds it without the page: what is drawn anew is as it should be
            class="section"
            open={isSearch || !foldedSections().includes(name)}
            onToggle={({ currentTarget }) => isSearch || keepFolded(name, !currentTarget.open)}
          >
            <summary>
              <span dir="auto">{name}</span> <span class="about">{t.list.ofSection(kept, own.length)}</span>
            </summary>
            {list(own)}
          </details>
        );
      })}
    </>
  );
}
