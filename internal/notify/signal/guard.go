package signal

import (
	"fmt"
	"runtime/debug"
	"strings"
)

// guard calls do and turns a panic into an error, so that what is wrong with one monitor, rule or signal
// neither keeps the others from being evaluated nor ends the process.
func (s *Service) guard(do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			s.Log.Error("panic while evaluating rules", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			reason, _, _ := strings.Cut(fmt.Sprint(p), "\n")
			err = fmt.Errorf("panic: %s", reason)
		}
	}()
	return do()
}
