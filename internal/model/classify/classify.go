// Package classify has the pieces that tell classes of short texts from their words:
// tokens as people write them in posts (links, mentions, hashtags, emoji, emoticons,
// drawn-out words), hashed features of those tokens, weights learnt for features, and
// calibration of what comes out.
//
// Its one idea: a feature is a number made of the token's letters, so there is no
// dictionary to build, to store or to keep in step. A model is a table that is looked
// into at that number. What the classes mean, and which data teaches them, is left to
// the packages that use it.
package classify
