#include "textflag.h"

// finish adds the bias at an offset of the ending to two registers and multiplies their negative
// elements by the slope in Y15. The slope is at most 1, so the result is the larger one.
#define finish(offset, A, B) \
	VBROADCASTSS offset(R11), Y10 \
	VADDPS Y10, A, A              \
	VADDPS Y10, B, B              \
	VMULPS Y15, A, Y8             \
	VMULPS Y15, B, Y9             \
	VMAXPS A, Y8, A               \
	VMAXPS B, Y9, B

// func tileFMA(dst *float32, stride int, a, panel *float32, step, k int, end *ending)
//
// Y0 to Y7 hold the sums, two registers per row. Each iteration multiplies one element of each
// row by 16 elements of the panel.
TEXT ·tileFMA(SB), NOSPLIT, $0-56
	MOVQ dst+0(FP), DI
	MOVQ stride+8(FP), DX
	MOVQ a+16(FP), SI
	MOVQ panel+24(FP), BX
	MOVQ step+32(FP), R12
	MOVQ k+40(FP), CX
	MOVQ end+48(FP), R11
	SHLQ $2, DX             // stride of dst in bytes
	SHLQ $2, R12            // stride of the panel in bytes
	LEAQ (SI)(CX*4), R8     // the rows of a
	LEAQ (R8)(CX*4), R9
	LEAQ (R9)(CX*4), R10
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	VXORPS Y4, Y4, Y4
	VXORPS Y5, Y5, Y5
	VXORPS Y6, Y6, Y6
	VXORPS Y7, Y7, Y7
	XORQ AX, AX

turn:
	VMOVUPS (BX), Y8
	VMOVUPS 32(BX), Y9
	VBROADCASTSS (SI)(AX*4), Y10
	VBROADCASTSS (R8)(AX*4), Y11
	VBROADCASTSS (R9)(AX*4), Y12
	VBROADCASTSS (R10)(AX*4), Y13
	VFMADD231PS Y8, Y10, Y0
	VFMADD231PS Y9, Y10, Y1
	VFMADD231PS Y8, Y11, Y2
	VFMADD231PS Y9, Y11, Y3
	VFMADD231PS Y8, Y12, Y4
	VFMADD231PS Y9, Y12, Y5
	VFMADD231PS Y8, Y13, Y6
	VFMADD231PS Y9, Y13, Y7
	ADDQ R12, BX
	INCQ AX
	CMPQ AX, CX
	JLT turn

	TESTQ R11, R11
	JZ store
	VBROADCASTSS 16(R11), Y15
	finish(0, Y0, Y1)
	finish(4, Y2, Y3)
	finish(8, Y4, Y5)
	finish(12, Y6, Y7)

store:
	VMOVUPS Y0, (DI)
	VMOVUPS Y1, 32(DI)
	ADDQ DX, DI
	VMOVUPS Y2, (DI)
	VMOVUPS Y3, 32(DI)
	ADDQ DX, DI
	VMOVUPS Y4, (DI)
	VMOVUPS Y5, 32(DI)
	ADDQ DX, DI
	VMOVUPS Y6, (DI)
	VMOVUPS Y7, 32(DI)
	VZEROUPPER
	RET

// func maxAVX(dst, src *float32, n int)
TEXT ·maxAVX(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX
	XORQ AX, AX

eight:
	VMOVUPS (DI)(AX*4), Y0
	VMAXPS (SI)(AX*4), Y0, Y0
	VMOVUPS Y0, (DI)(AX*4)
	ADDQ $8, AX
	CMPQ AX, CX
	JLT eight
	VZEROUPPER
	RET
