// Marks: the star, tags, assignee and notes that a team gives a post.
import { useState } from "preact/hooks";
import { call, patch, post as send } from "./api";
import { clearTags, type MarkedIn } from "./members";
import type { ShownPost } from "./post";
import type { Mark, Member } from "./types";

const empty: Mark = { starred: false, tags: [], assignee: null, notes: [] };

// A Marking is the mark of a post and what can be done with it. Changes are shown at once; if the
// server refuses one, the mark is as before and the promise fails.
export interface Marking {
  mark: Mark;
  star: () => Promise<void>;
  addTag: (tag: string) => Promise<void>;
  removeTag: (tag: string) => Promise<void>;
  assign: (member: Member | null) => Promise<void>;
  addNote: (text: string) => Promise<void>;
  editNote: (id: number, text: string) => Promise<void>;
  removeNote: (id: number) => Promise<void>;
}

export function useMarking(post: ShownPost, where: MarkedIn | undefined): Marking {
  const [expected, setExpected] = useState<{ of: ShownPost; mark: Mark }>(); // while a request is pending
  const mark = (expected?.of === post ? expected.mark : post.mark) ?? empty;
  const path = `/manage/v1/monitors/${where?.id}/posts/${post.key}`;
  const change = async (expected: Mark, request: () => Promise<Mark>) => {
    setExpected({ of: post, mark: expected });
    try {
      post.mark = await request(); // the list is kept when the user leaves it and comes back
    } finally {
      setExpected(undefined);
    }
  };
  const edit = (expected: Partial<Mark>, body: object) => change({ ...mark, ...expected }, () => patch<Mark>(`${path}/mark`, body));
  return {
    mark,
    star: () => edit({ starred: !mark.starred }, { starred: !mark.starred }),
    addTag: async (tag) => {
      await edit({ tags: [...mark.tags.filter((t) => t.toLowerCase() !== tag.toLowerCase()), tag] }, { addTags: [tag] });
      clearTags();
    },
    removeTag: async (tag) => {
      await edit({ tags: mark.tags.filter((t) => t !== tag) }, { removeTags: [tag] });
      clearTags();
    },
    assign: (member) => edit({ assignee: member }, { assignee: member?.id ?? 0 }),
    addNote: (text) => change(mark, () => send<Mark>(`${path}/notes`, { text })),
    editNote: (id, text) => change({ ...mark, notes: mark.notes.map((n) => (n.id === id ? { ...n, text } : n)) }, () => patch<Mark>(`${path}/notes/${id}`, { text })),
    removeNote: (id) => change({ ...mark, notes: mark.notes.filter((n) => n.id !== id) }, () => call<Mark>("DELETE", `${path}/notes/${id}`)),
  };
}
