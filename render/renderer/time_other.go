//go:build !unix

package renderer

import "time"

var started = time.Now()

// processorTime returns the time since the start of the process.
func processorTime() time.Duration { return time.Since(started) }
