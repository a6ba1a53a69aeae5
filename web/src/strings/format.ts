// Words that lib/format.ts builds numbers, dates, and names from. This file imports nothing, so that
// the other files of strings can use lib/format.ts.

export const monthNames = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"];

// weekdayNames are also the values of the filter field weekday.
export const weekdayNames = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

export const ageNames: Record<string, string> = {
  ZERO_TO_SEVENTEEN: "17 and under",
  EIGHTEEN_TO_TWENTYFOUR: "18–24",
  TWENTYFIVE_TO_THIRTYFOUR: "25–34",
  THIRTYFIVE_AND_OVER: "35 and over",
};

export const genderNames: Record<string, string> = { F: "Female", M: "Male" };

export const typeNames: Record<string, string> = { BUZZ: "Mentions", OPINION: "Opinion", SOCIAL: "Social" };

// changeFromZero stands for a percentage that has no base: 0 posts before, some now.
export const changeFromZero = "new";

export const halfDays = { am: "AM", pm: "PM" };

export const ago = {
  now: "just now",
  minutes: (n: number) => `${n} min ago`,
  hours: (n: number) => `${n} hr ago`,
  days: (n: number) => (n === 1 ? "1 day ago" : `${n} days ago`),
};
