// Words that the command palette understands. All of them are in lower case.

const word = (name: string, ...words: string[]) => ({ name, words: [name.toLowerCase(), ...words] });

export const phrase = {
  words: {
    sentiment: { positive: word("Positive"), neutral: word("Neutral"), negative: word("Negative") },
    emotion: {
      joy: word("Joy", "joyful", "happy"),
      sadness: word("Sadness", "sad"),
      anger: word("Anger", "angry"),
      fear: word("Fear", "afraid"),
      surprise: word("Surprise", "surprised"),
      disgust: word("Disgust", "disgusted"),
    },
    gender: { F: word("Female", "women", "woman", "females"), M: word("Male", "men", "man", "males") },
    age: {
      ZERO_TO_SEVENTEEN: word("17 and under", "under 18", "0-17", "0–17", "teenagers"),
      EIGHTEEN_TO_TWENTYFOUR: word("18–24", "18-24"),
      TWENTYFIVE_TO_THIRTYFOUR: word("25–34", "25-34"),
      THIRTYFIVE_AND_OVER: word("35 and over", "over 35", "35+"),
    },
    starred: { yes: word("Starred") },
    corrected: { yes: word("Corrected") },
  },
  // Other names of countries, by their IDs.
  countries: { USA: ["usa", "us", "america"], GBR: ["uk", "britain", "great britain"], ARE: ["uae", "emirates"] } as Record<string, string[]>,
  filler: /^(in|from|on|by|of|with|for|at|during)\s+(the\s+)?/i, // before something that is understood
  ignored: /^(posts?|and)$/i,
};
