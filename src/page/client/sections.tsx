import type { ComponentChild } from 'preact';
import type { Item } from './items.js';
import { t } from './language.js';
import { foldedSections, keepFolded } from './session.js';

interface SectionsProps {
  /** What is asked for, kept or not. */
  items: readonly Item[];
  names: readonly string[];
  list: (items: Item[]) => ComponentChild;
}

const isSame = (one: string, other: string | null) => one.toLowerCase() === other?.toLowerCase();

/** Headings that fold: what is below none comes first. */
export function Sections({ items, names, list }: SectionsProps) {
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
            key={name}
            class="section"
            open={!foldedSections().includes(name)}
            onToggle={({ currentTarget }) => keepFolded(name, !currentTarget.open)}
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
