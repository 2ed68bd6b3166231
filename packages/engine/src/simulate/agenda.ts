/** What is still to happen, by time; what falls on the same millisecond comes in an order that was drawn by lot. */
export interface Happening {
  readonly atMs: number;
  readonly lot: number;
  readonly action: () => void;
  isCalledOff: boolean;
}

export interface Agenda {
  add(happening: Happening): void;
  /** Takes the next one out; null when nothing is left, or nothing before `untilMs`. */
  next(untilMs: number): Happening | null;
}

export function createAgenda(): Agenda {
  const heap: Happening[] = [];

  function riseFrom(start: number, happening: Happening): void {
    let at = start;
    while (at > 0) {
      const parentAt = (at - 1) >> 1;
      const parent = heap[parentAt];
      if (!parent || isBefore(parent, happening)) break;
      heap[at] = parent;
      at = parentAt;
    }
    heap[at] = happening;
  }

  function sinkFromTop(happening: Happening): void {
    let at = 0;
    for (;;) {
      const leftAt = 2 * at + 1;
      const left = heap[leftAt];
      if (!left) break;
      const right = heap[leftAt + 1];
      const [child, childAt] = right && isBefore(right, left) ? [right, leftAt + 1] : [left, leftAt];
      if (isBefore(happening, child)) break;
      heap[at] = child;
      at = childAt;
    }
    heap[at] = happening;
  }

  return {
    add(happening) {
      riseFrom(heap.length, happening);
    },
    next(untilMs) {
      for (;;) {
        const [first] = heap;
        if (!first || (first.atMs > untilMs && !first.isCalledOff)) return null;
        const last = heap.pop();
        if (last && last !== first) sinkFromTop(last);
        if (!first.isCalledOff) return first;
      }
    },
  };
}

function isBefore(a: Happening, b: Happening): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.lot < b.lot);
}
