package onnx

import "testing"

// TestInstructionSets checks that all instruction sets compute the same: those of older processors,
// and plain Go, which runs on other architectures.
func TestInstructionSets(t *testing.T) {
	best := instructions
	defer func() { instructions = best }()
	for set, name := range []string{plainGo: "plain Go", sse: "SSE", fma: "FMA"} {
		if instructionSet(set) > best {
			t.Logf("this processor does not support %s", name)
			continue
		}
		instructions = instructionSet(set)
		t.Run(name, func(t *testing.T) {
			t.Run("tiles", TestMultiplyTileMatchesGo)
			t.Run("maximum", TestMaxIntoMatchesGo)
			t.Run("convolution", TestConv)
			t.Run("pooling", TestMaxPoolMatchesDefinition)
			t.Run("activations", TestFusedActivations)
			t.Run("network", TestNetwork)
			t.Run("BERT", TestBertGraphMatchesReference)
		})
	}
}

func BenchmarkTile(b *testing.B) {
	const k = 576
	dst, a, panel := make([]float32, tileRows*tileCols), make([]float32, tileRows*k), make([]float32, tileCols*k)
	best := instructions
	defer func() { instructions = best }()
	for set, name := range []string{plainGo: "Go", sse: "SSE", fma: "FMA"} {
		if instructionSet(set) > best {
			continue
		}
		instructions = instructionSet(set)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				multiplyTile(dst, tileCols, a, panel, tileCols, k, nil)
			}
		})
	}
}
