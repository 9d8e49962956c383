#pragma once
/// The structures of DLPack 0.8, laid out as its specification says, where its own header
/// (<dlpack/dlpack.h>) has not been included before. C and C++.

#include <stdint.h>

/* For C too: NOLINTBEGIN(modernize-use-using, readability-identifier-naming) */

#ifndef DLPACK_DLPACK_H_
#define DLPACK_DLPACK_H_

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { kDLCPU = 1, kDLCUDA = 2, kDLCUDAHost = 3 } DLDeviceType;

typedef struct {
  DLDeviceType device_type;
  int32_t device_id;
} DLDevice;

typedef enum { kDLInt = 0, kDLUInt = 1, kDLFloat = 2, kDLBool = 6 } DLDataTypeCode;

typedef struct {
  uint8_t code; /* DLDataTypeCode */
  uint8_t bits;
  uint16_t lanes; /* 1 */
} DLDataType;

typedef struct {
  void* data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t* shape;
  int64_t* strides; /* in elements; null: dense, row after row */
  uint64_t byte_offset;
} DLTensor;

typedef struct DLManagedTensor {
  DLTensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(struct DLManagedTensor* self); /* called once by the owner; any thread */
} DLManagedTensor;

#ifdef __cplusplus
}
#endif

#endif

/* NOLINTEND(modernize-use-using, readability-identifier-naming) */
